import type { Overload } from '../functions.ts';
import { overload } from '../functions.ts';
import { EvaluationError, Opaque } from '../values.ts';

/** A quantity: `digits / 10^scale`. */
export class Quantity extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly digits: bigint;
  /** Number of decimal places, not negative. */
  readonly scale: number;
  /** Whether it is written as an integer: `1.5k` is, `1.0` and `1000m` are not. */
  readonly isWhole: boolean;

  constructor(digits: bigint, scale: number, isWhole: boolean) {
    super();
    this.digits = digits;
    this.scale = scale;
    this.isWhole = isWhole;
  }

  equals(other: Opaque): boolean {
    return other instanceof Quantity && compare(this, other) === 0n;
  }
}

const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };

const MALFORMED = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NO_SUFFIX = "unable to parse quantity's suffix";

/** Smallest unit of a quantity: values are rounded up to it. */
const SMALLEST = 9;
/** Largest exponent that is computed. */
const EXPONENT_LIMIT = 400;

function parseQuantity(text: string): Quantity {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(.*)$/s.exec(text);
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match ?? [];
  if (whole === '' && fraction === '') throw new EvaluationError(MALFORMED);
  const digits = BigInt(whole + fraction);
  const exponent = /^[eE]([+-]?\d+)$/.exec(suffix)?.[1];
  const decimal = Object.hasOwn(DECIMAL, suffix) ? DECIMAL[suffix] : undefined;
  const binary = Object.hasOwn(BINARY, suffix) ? BINARY[suffix] : undefined;
  const power = exponent === undefined ? decimal : Number(exponent);
  if (binary === undefined && power === undefined) {
    throw new EvaluationError(/^[eEinumkKMGTP]*[-+]?\d*$/.test(suffix) ? NO_SUFFIX : MALFORMED);
  }
  if (power !== undefined && Math.abs(power) > EXPONENT_LIMIT) throw new EvaluationError(MALFORMED);
  const scaled = binary === undefined ? digits : digits << binary;
  const amount = rounded(scaled, fraction.length - (power ?? 0));
  const isWhole = fraction.length <= (power ?? 0) && fitsInteger(String(digits).length, binary);
  return new Quantity(sign === '-' ? -amount.digits : amount.digits, amount.scale, isWhole);
}

/** Decimal digits of the integers in which a real server keeps quantities, without and with a binary suffix. */
const DECIMAL_DIGITS = 18;
const BINARY_DIGITS = 14;

/** Reports whether a real server keeps a quantity as an integer. @param binary exponent of a binary suffix. */
function fitsInteger(length: number, binary: bigint | undefined): boolean {
  if (binary === undefined) return length <= DECIMAL_DIGITS;
  return length + Math.trunc((Number(binary) * 3) / 10) <= BINARY_DIGITS;
}

function rounded(digits: bigint, scale: number): Pick<Quantity, 'digits' | 'scale'> {
  if (scale < 0) return { digits: digits * 10n ** BigInt(-scale), scale: 0 };
  if (scale <= SMALLEST) return { digits, scale };
  const divisor = 10n ** BigInt(scale - SMALLEST);
  return { digits: (digits + divisor - 1n) / divisor, scale: SMALLEST };
}

function aligned(a: Quantity, b: Quantity): readonly [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  const at = ({ digits, scale: own }: Quantity): bigint => digits * 10n ** BigInt(scale - own);
  return [at(a), at(b), scale];
}

function compare(a: Quantity, b: Quantity): bigint {
  const [left, right] = aligned(a, b);
  return left < right ? -1n : left > right ? 1n : 0n;
}

function combined(a: Quantity, b: Quantity, sign: 1n | -1n): Quantity {
  const [left, right, scale] = aligned(a, b);
  // A real server returns the other quantity if one is zero.
  const isWhole = (a.isWhole || a.digits === 0n) && (b.isWhole || b.digits === 0n);
  return new Quantity(left + sign * right, scale, isWhole && (a.isWhole || b.isWhole));
}

function isInteger({ digits, isWhole }: Quantity): boolean {
  return isWhole && digits === BigInt.asIntN(64, digits);
}

function isQuantity(text: string): boolean {
  try {
    return parseQuantity(text) instanceof Quantity;
  } catch {
    return false;
  }
}

const fromInt = (value: bigint): Quantity => new Quantity(value, 0, true);

/** Kubernetes' functions for quantities. */
export const quantityLibrary: readonly Overload[] = [
  overload('string_to_quantity quantity: (string)->quantity', parseQuantity),
  overload('is_quantity_string isQuantity: (string)->bool', isQuantity),
  overload('quantity_sign sign: (quantity)->int', ({ digits }: Quantity) =>
    digits < 0n ? -1n : digits > 0n ? 1n : 0n,
  ),
  overload(
    'quantity_is_greater_than isGreaterThan: quantity.(quantity)->bool',
    (a: Quantity, b: Quantity) => compare(a, b) > 0n,
  ),
  overload(
    'quantity_is_less_than isLessThan: quantity.(quantity)->bool',
    (a: Quantity, b: Quantity) => compare(a, b) < 0n,
  ),
  overload('quantity_compare_to compareTo: quantity.(quantity)->int', compare),
  overload(
    'quantity_get_float asApproximateFloat: quantity.()->double',
    ({ digits, scale }: Quantity) => Number(digits) / 10 ** scale,
  ),
  overload('quantity_get_int asInteger: quantity.()->int', (quantity: Quantity) => {
    if (!isInteger(quantity)) throw new EvaluationError('cannot convert value to integer');
    return quantity.digits;
  }),
  overload('quantity_is_integer isInteger: quantity.()->bool', isInteger),
  overload('quantity_add add: quantity.(quantity)->quantity', (a: Quantity, b: Quantity) => combined(a, b, 1n)),
  overload('quantity_add_int add: quantity.(int)->quantity', (a: Quantity, b: bigint) => combined(a, fromInt(b), 1n)),
  overload('quantity_sub sub: quantity.(quantity)->quantity', (a: Quantity, b: Quantity) => combined(a, b, -1n)),
  overload('quantity_sub_int sub: quantity.(int)->quantity', (a: Quantity, b: bigint) => combined(a, fromInt(b), -1n)),
];
