import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, notFoundField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { compareQuantities, parseQuantity } from '../quantity.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { containerResourceNameErrors } from './resource-names.ts';
import { dnsLabel } from './rules.ts';

const STANDARD = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Validates an amount: not negative, and whole if the resource only comes in wholes. */
export function amountErrors(field: string, name: string, amount: unknown): FieldError[] {
  const quantity = parseQuantity(amount);
  if (!quantity) return [];
  const errors: FieldError[] = [];
  if (quantity.nano < 0n) errors.push(invalidField(field, amount, 'must be greater than or equal to 0'));
  const isFraction = quantity.nano % 1_000_000_000n !== 0n;
  if (isFraction && !STANDARD.has(name) && !name.startsWith('requests.') && !name.startsWith('limits.')) {
    errors.push(invalidField(field, amount, 'must be an integer'));
  }
  return errors;
}

/**
 * Validates limits and requests (upstream: `validateResourceRequirements`).
 *
 * @param claims names of the claims to devices that the Pod has.
 * @param nameErrors validates the name of a resource. Default: that of a container.
 */
export function resourceErrors(
  [field, resources]: readonly [string, unknown],
  claims: readonly string[],
  nameErrors: (field: string, name: string) => FieldError[] = containerResourceNameErrors,
): FieldError[] {
  const of = (part: string): Record<string, unknown> => (valueAt(resources, part) ?? {}) as Record<string, unknown>;
  const sorted = (part: string): [string, unknown][] =>
    Object.entries(of(part)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const limits = of('limits');
  const ofLimits = sorted('limits').flatMap(([name, amount]) => {
    const place = `${field}.limits[${name}]`;
    return [...nameErrors(place, name), ...amountErrors(place, name, amount), ...pageErrors(place, name, amount)];
  });
  const ofRequests = sorted('requests').flatMap(([name, amount]) => {
    const place = `${field}.requests[${name}]`;
    const own = [...nameErrors(place, name), ...amountErrors(place, name, amount)];
    return [...own, ...limitErrors(field, name, amount, limits[name]), ...pageErrors(place, name, amount)];
  });
  const names = ['limits', 'requests'].flatMap((part) => Object.keys(of(part)));
  const isAlone = names.some(isHuge) && !names.includes('cpu') && !names.includes('memory');
  return [
    ...ofLimits,
    ...ofRequests,
    ...(isAlone ? [forbiddenField(field, 'HugePages require cpu or memory')] : []),
    ...claimErrors(`${field}.claims`, listAt(resources, 'claims'), claims),
  ];
}

const isHuge = (name: string): boolean => name.startsWith('hugepages-');

/** The amount of huge pages is a multiple of their size. */
function pageErrors(field: string, name: string, amount: unknown): FieldError[] {
  const quantity = isHuge(name) ? parseQuantity(amount) : undefined;
  if (!quantity) return [];
  const size = parseQuantity(name.slice('hugepages-'.length))?.nano ?? 0n;
  if (size > 0n && quantity.nano % size === 0n) return [];
  return [invalidField(field, amount, `${scalarText(amount)} is not positive integer multiple of ${name}`)];
}

/** Validates references to the claims of a Pod (upstream: `validateResourceClaimNames`). */
function claimErrors(field: string, references: readonly unknown[], claims: readonly string[]): FieldError[] {
  const seen = new Set<string>();
  return references.flatMap((reference, index) => {
    const place = `${field}[${index}]`;
    const [name = '', request = ''] = ['name', 'request'].map((part) => scalarText(valueAt(reference, part)));
    if (name === '') return [requiredField(place, '')];
    const errors: FieldError[] = [];
    if (seen.has(name)) errors.push(duplicateField(place, name));
    else {
      const key = request === '' ? name : `${name}/${request}`;
      errors.push(...dnsLabel([`${place}.request`, request]));
      if (seen.has(key)) errors.push(duplicateField(place, key));
      else if (request === '') {
        const others = [...seen].filter((other) => other.startsWith(`${name}/`));
        errors.push(...others.map(() => duplicateField(place, name)));
      }
      seen.add(key);
    }
    if (claims.includes(name)) return errors;
    const known = claims.length === 0 ? ' which is empty' : `: ${[...new Set(claims)].toSorted().join(', ')}`;
    const missing = notFoundField(place, name);
    const detail = `must be one of the names in pod.spec.resourceClaims${known}`;
    return [...errors, { ...missing, message: `${missing.message}: ${detail}` }];
  });
}

function limitErrors(field: string, name: string, amount: unknown, limit: unknown): FieldError[] {
  const [request, most] = [parseQuantity(amount), parseQuantity(limit)];
  if (!request) return [];
  const isExact = name.includes('/') || name.startsWith('hugepages-');
  if (!most) {
    return isExact ? [requiredField(`${field}.limits`, 'Limit must be set for non overcommitable resources')] : [];
  }
  const difference = compareQuantities(request, most);
  if (isExact && difference !== 0) {
    const detail = `must be equal to ${name} limit of ${String(limit)}`;
    return [invalidField(`${field}.requests`, amount, detail)];
  }
  if (difference <= 0) return [];
  return [invalidField(`${field}.requests`, amount, `must be less than or equal to ${name} limit of ${String(limit)}`)];
}
