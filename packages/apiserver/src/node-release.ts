import { createRequire } from 'node:module';

/*
 * Checks the release of Node.js. Entry points of programs import this module first, and everything else dynamically: an
 * older release cannot even link modules that import newer functions. So this file uses nothing that is new.
 */

interface Manifest {
  readonly engines: { readonly node: string };
}

/** Ends the process with an error if `engines` of this package does not allow its release of Node.js. */
export function checkNodeRelease(program: string): void {
  const refusal = nodeReleaseRefusal();
  if (refusal === undefined) return;
  process.stderr.write(`${program}: ${refusal}\n`);
  process.exit(1);
}

/** Returns why a release cannot run this package, or `undefined` if it can. */
export function nodeReleaseRefusal(version: string = process.version): string | undefined {
  const { engines } = createRequire(import.meta.url)('@mcr/apiserver/package.json') as Manifest;
  if (satisfies(version, engines.node)) return undefined;
  return `Node.js ${version.replace('v', '')} (${process.execPath}) is not supported: use a release in the range ${engines.node}`;
}

/** Supports alternatives of the forms `^1.2.3` and `>=1`. */
function satisfies(version: string, range: string): boolean {
  const found = partsOf(version);
  return range.split('||').some((alternative) => {
    const [, operator, text = ''] = /^(\^|>=)(\d[\d.]*)$/.exec(alternative.trim()) ?? [];
    if (operator === undefined)
      throw new Error(`engines: ${alternative.trim()} is not a range of the form ^1.2.3 or >=1`);
    const oldest = partsOf(text);
    return compare(found, oldest) >= 0 && (operator === '>=' || found[0] === oldest[0]);
  });
}

/** Returns major, minor and patch. Missing ones are 0. */
function partsOf(text: string): readonly number[] {
  const numbers = (/[\d.]+/.exec(text)?.[0] ?? '').split('.').map(Number);
  return [0, 1, 2].map((index) => numbers[index] ?? 0);
}

function compare(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((part, place) => part !== right[place]);
  return index < 0 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}
