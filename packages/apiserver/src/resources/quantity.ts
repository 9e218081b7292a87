/**
 * Amounts of resources, such as `500m`, `1.5Gi` or `2e3`. (Upstream: `k8s.io/apimachinery/pkg/api/resource`.)
 */
export interface Quantity {
  /** In billionths. */
  readonly nano: bigint;
  readonly format: 'binary' | 'decimal' | 'exponent';
}

const NANO = 1_000_000_000n;
const FORM = /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<suffix>[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,9})?$/u;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const LARGEST = 2n ** 63n - 1n;

/** Power of ten by which a number of one digit exceeds {@link LARGEST} in billionths. */
const POWER_LIMIT = 40;

/** Error of upstream for a text that is not a quantity. */
export const QUANTITY_FORMAT =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Reads a quantity; `undefined` if the value is not one. */
export function parseQuantity(value: unknown): Quantity | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const { sign, whole = '', fraction = '', suffix = '' } = FORM.exec(text.trim())?.groups ?? {};
  if (sign === undefined || (whole === '' && fraction === '')) return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  const scale = 10n ** BigInt(fraction.length);
  const { multiplier, divisor, format } = unitOf(suffix, whole.length + fraction.length + POWER_LIMIT);
  const dividend = digits * multiplier * NANO;
  const by = scale * divisor;
  // Rounds up, away from zero.
  const rounded = (dividend + by - 1n) / by;
  const nano = rounded > LARGEST * NANO ? LARGEST * NANO : rounded;
  return { nano: sign === '-' ? -nano : nano, format };
}

/** @param powerLimit power of ten beyond which a number is too large or too small to represent. */
function unitOf(
  suffix: string,
  powerLimit: number,
): { multiplier: bigint; divisor: bigint; format: Quantity['format'] } {
  if (suffix.endsWith('i')) {
    return { multiplier: 1024n ** BigInt(BINARY.indexOf(suffix)), divisor: 1n, format: 'binary' };
  }
  const isExponent = /^[eE][+-]?\d/u.test(suffix);
  const exponent = isExponent ? Number(suffix.slice(1)) : 0;
  const power = isExponent
    ? Math.sign(exponent) * Math.min(Math.abs(exponent), powerLimit)
    : (DECIMAL.indexOf(suffix) - 3) * 3;
  const format = isExponent ? 'exponent' : 'decimal';
  const size = 10n ** BigInt(Math.abs(power));
  return power < 0 ? { multiplier: 1n, divisor: size, format } : { multiplier: size, divisor: 1n, format };
}

/** Returns the canonical text: no fraction, and the largest possible suffix. */
export function formatQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  const sign = nano < 0n ? '-' : '';
  const size = nano < 0n ? -nano : nano;
  // A fraction, or less than the smallest binary unit, is written in decimal units.
  if (format === 'binary' && size % NANO === 0n && size >= 1024n * NANO) {
    let [count, unit] = [size / NANO, 0];
    for (; count % 1024n === 0n && unit < BINARY.length - 1; unit++) count /= 1024n;
    return `${sign}${count}${BINARY[unit] ?? ''}`;
  }
  let [count, unit] = [size, 0];
  for (; count % 1000n === 0n && unit < DECIMAL.length - 1; unit++) count /= 1000n;
  const power = (unit - 3) * 3;
  if (format === 'exponent') return `${sign}${count}${power === 0 ? '' : `e${power}`}`;
  return `${sign}${count}${DECIMAL[unit] ?? ''}`;
}

/** Compares two quantities as `Array.prototype.sort` expects. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}
