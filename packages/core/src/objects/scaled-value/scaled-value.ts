import { foundText, shortened } from '@mcr/client';

/** Options of {@link scaledValueOf}. */
export interface ScaledValueOptions {
  /** How to round a percentage: true rounds up, as for `maxSurge`; false rounds down, as for `maxUnavailable`. */
  readonly roundUp: boolean;
}

/**
 * Returns the number that an int-or-string field such as `maxUnavailable` means: an integer as is, and a percentage of
 * `total`. (Upstream: `intstr.GetScaledValueFromIntOrPercent`.)
 *
 * @param value an integer, or a percentage such as `25%`. Negative ones and those above 100% are accepted, as upstream.
 * @param total the number of objects that 100% means.
 * @throws {TypeError} for another text, for example `5` or `1.5%`, or for a number that is not a safe integer.
 */
export function scaledValueOf(value: number | string, total: number, { roundUp }: ScaledValueOptions): number {
  if (!Number.isSafeInteger(total)) throw invalid('total', 'an integer', total);
  if (typeof value !== 'string') {
    if (!Number.isSafeInteger(value)) throw invalid('value', 'an integer or a percentage such as 25%', value);
    return value;
  }
  const percentage = /^[+-]?\d+%$/.test(value) ? Number(value.slice(0, -1)) : NaN;
  if (!Number.isSafeInteger(percentage)) throw invalid('value', 'an integer or a percentage such as 25%', value);
  const scaled = (percentage * total) / 100;
  // The addition turns -0 into 0.
  return (roundUp ? Math.ceil(scaled) : Math.floor(scaled)) + 0;
}

function describe(found: unknown): string {
  if (typeof found === 'string') return JSON.stringify(shortened(found, 64));
  return typeof found === 'number' ? String(found) : foundText(found);
}

function invalid(name: string, expected: string, found: unknown): TypeError {
  return new TypeError(`scaledValueOf: ${name}: expected ${expected}, found ${describe(found)}`);
}
