/**
 * Amounts of resources, such as `500m`, `1.5Gi` or `2e3`. (Upstream: `k8s.io/apimachinery/pkg/api/resource`.)
 */
export interface Quantity {
  /** In billionths. */
  readonly nano: bigint;
  readonly format: 'binary' | 'decimal' | 'exponent';
  /** The text that was parsed, if a real server keeps it instead of the canonical one. */
  readonly text?: string;
}

const NANO = 1_000_000_000n;
const FORM = /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<suffix>[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,9})?$/u;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const LARGEST = 2n ** 63n - 1n;

/** Largest power of ten that is computed. The text of most numbers with a larger one is kept. */
const POWER_LIMIT = 400;

/** Number of digits of a number that a real server keeps as an integer with a scale. */
const EXACT_DIGITS = 18;

/** The same in binary units. Each step from `Ki` to `Ei` counts as three digits. */
const EXACT_BINARY_DIGITS = 14;

/** A thousandth, in billionths. */
const MILLI = 1_000_000n;

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
  // Only amounts in binary units are limited.
  const nano = format === 'binary' && rounded > LARGEST * NANO ? LARGEST * NANO : rounded;
  const isKept = keepsText({ whole, fraction, suffix });
  return { nano: sign === '-' ? -nano : nano, format, ...(isKept && { text: text.trim() }) };
}

/** Reports whether a text counts as canonical: upstream does not look at signs, leading zeros and the case of `e`. */
function keepsText({ whole, fraction, suffix }: Readonly<Record<'whole' | 'fraction' | 'suffix', string>>): boolean {
  const digits = `${whole.replace(/^0+/u, '') || '0'}${fraction}`;
  if (digits.startsWith('0') || digits.length > EXACT_DIGITS) return false;
  if (suffix.endsWith('i')) {
    const isExact = fraction === '' && digits.length + 3 * BINARY.indexOf(suffix) <= EXACT_BINARY_DIGITS;
    return isExact && BigInt(digits) % 8n !== 0n;
  }
  const power = powerOf(suffix) - fraction.length;
  return power >= -9 && power % 3 === 0 && !digits.endsWith('000');
}

/** Returns the power of ten of a decimal suffix or exponent. */
function powerOf(suffix: string): number {
  return /^[eE][+-]?\d/u.test(suffix) ? Number(suffix.slice(1)) : (DECIMAL.indexOf(suffix) - 3) * 3;
}

/** Returns a quantity of a list of resources, which a real server rounds up to thousandths. */
export function inThousandths(quantity: Quantity): Quantity {
  const { nano, format } = quantity;
  const rest = nano % MILLI;
  return rest === 0n ? quantity : { nano: nano - rest + (nano < 0n ? -MILLI : MILLI), format };
}

/** @param powerLimit power of ten beyond which a number is too large or too small to represent. */
function unitOf(
  suffix: string,
  powerLimit: number,
): { multiplier: bigint; divisor: bigint; format: Quantity['format'] } {
  if (suffix.endsWith('i')) {
    return { multiplier: 1024n ** BigInt(BINARY.indexOf(suffix)), divisor: 1n, format: 'binary' };
  }
  const format = /^[eE][+-]?\d/u.test(suffix) ? 'exponent' : 'decimal';
  const power = Math.min(Math.max(powerOf(suffix), -powerLimit), powerLimit);
  const size = 10n ** BigInt(Math.abs(power));
  return power < 0 ? { multiplier: 1n, divisor: size, format } : { multiplier: size, divisor: 1n, format };
}

/** Returns the canonical text: no fraction, and the largest possible suffix. Beyond `E`, upstream writes none. */
export function formatQuantity({ nano, format, text }: Quantity): string {
  if (text !== undefined) return text;
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
  for (; count % 1000n === 0n; unit++) count /= 1000n;
  const power = (unit - 3) * 3;
  if (format === 'exponent') return `${sign}${count}${power === 0 ? '' : `e${power}`}`;
  return `${sign}${count}${DECIMAL[unit] ?? ''}`;
}

/** Compares two quantities as `Array.prototype.sort` expects. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}
