import type { Overload } from '../functions.ts';
import { overload } from '../functions.ts';
import { EvaluationError, Opaque } from '../values.ts';

/** A semantic version (semver.org, 2.0). */
export class Semver extends Opaque {
  readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  equals(other: Opaque): boolean {
    return other instanceof Semver && compare(this, other) === 0n;
  }
}

const LEADING_ZEROES = 'Numeric PreRelease version must not contain leading zeroes ';
const NUMBER = '(0|[1-9]\\d*)';
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

function parseSemver(text: string, normalize = false): Semver {
  const [, major, minor, patch, prerelease] = VERSION.exec(normalize ? normalized(text) : text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) {
    throw new EvaluationError(text === '' ? 'Version string empty' : reasonOf(text));
  }
  const identifiers = prerelease?.split('.') ?? [];
  const zero = identifiers.find((identifier) => /^0\d+$/.test(identifier));
  if (zero !== undefined) {
    throw new EvaluationError(LEADING_ZEROES + JSON.stringify(zero));
  }
  return new Semver([BigInt(major), BigInt(minor), BigInt(patch)], identifiers);
}

const PARTS = ['major', 'minor', 'patch'] as const;

/** Returns the message of the library that Kubernetes uses. */
function reasonOf(text: string): string {
  const parts = text.split('.');
  if (parts.length < 3) return 'No Major.Minor.Patch elements found';
  const numbers = [parts[0] ?? '', parts[1] ?? '', (parts[2] ?? '').split(/[-+]/)[0] ?? ''];
  for (const [index, part] of numbers.entries()) {
    const name = PARTS[index] ?? 'patch';
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    if (!/^\d+$/.test(part)) return `Invalid character(s) found in ${name} number ${JSON.stringify(part)}`;
    if (part.length > 1 && part.startsWith('0')) {
      return `${title} number must not contain leading zeroes ${JSON.stringify(part)}`;
    }
  }
  return 'Invalid character(s) found in prerelease or build';
}

function normalized(text: string): string {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.');
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length > 0 ? [rest.join('.')] : [])].map(
    (part) => {
      if (part.length <= 1) return part;
      const trimmed = part.replace(/^0+/, '');
      return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
    },
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    throw new EvaluationError('short version cannot contain PreRelease/Build meta data');
  }
  while (parts.length < 3) parts.push('0');
  return parts.join('.');
}

function compare(a: Semver, b: Semver): bigint {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1n : 1n;
  }
  const [left, right] = [a.prerelease, b.prerelease];
  if (left.length === 0 || right.length === 0)
    return BigInt(Math.sign(Number(right.length > 0) - Number(left.length > 0)));
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = compareIdentifiers(left[index] ?? '', right[index] ?? '');
    if (order !== 0) return BigInt(order);
  }
  return BigInt(Math.sign(left.length - right.length));
}

function compareIdentifiers(a: string, b: string): number {
  const [numericA, numericB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numericA && numericB) return Math.sign(Number(BigInt(a) - BigInt(b)));
  if (numericA !== numericB) return numericA ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function isSemver(text: string, normalize = false): boolean {
  try {
    return parseSemver(text, normalize) instanceof Semver;
  } catch {
    return false;
  }
}

/** Kubernetes' functions for semantic versions. */
export const semverLibrary: readonly Overload[] = [
  overload('string_to_semver semver: (string)->semver', parseSemver),
  overload('string_bool_to_semver semver: (string,bool)->semver', parseSemver),
  overload('is_semver_string isSemver: (string)->bool', isSemver),
  overload('is_semver_string_bool isSemver: (string,bool)->bool', isSemver),
  overload('semver_is_greater_than isGreaterThan: semver.(semver)->bool', (a: Semver, b: Semver) => compare(a, b) > 0n),
  overload('semver_is_less_than isLessThan: semver.(semver)->bool', (a: Semver, b: Semver) => compare(a, b) < 0n),
  overload('semver_compare_to compareTo: semver.(semver)->int', compare),
  overload('semver_major major: semver.()->int', ({ numbers }: Semver) => numbers[0]),
  overload('semver_minor minor: semver.()->int', ({ numbers }: Semver) => numbers[1]),
  overload('semver_patch patch: semver.()->int', ({ numbers }: Semver) => numbers[2]),
];
