/** Returns a number as Go's verb `%v` prints it: an integer of 64 bits in full. */
export function goNumber(value: number): string {
  return isInt64(value) ? String(value) : goFloat(value);
}

/** Returns a floating-point number as Go's verb `%v` prints it: with an exponent below 0.0001, and from 1e+06 on. */
export function goFloat(value: number): string {
  const size = Math.abs(value);
  const isPlain = value === 0 || (size >= 1e-4 && size < 1e6);
  const text = isPlain ? String(value) : value.toExponential();
  return text.replace(/e([+-])(\d)$/u, 'e$10$2');
}

/** Reports whether a number is one that Go decodes into an integer of 64 bits, unless it is written as a fraction. */
export function isInt64(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) < 2 ** 63;
}

/** Largest error of a floating-point number that counts as an integer, relative to the sum of both. */
const WHOLE_PRECISION = 1e-9;

/** Reports whether a floating-point number counts as an integer. (Upstream: `IsFloat64AJSONInteger` of kube-openapi.) */
export function isWhole(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  const whole = Math.trunc(value);
  return value === whole || (whole > 0 && (value - whole) / (value + whole) < WHOLE_PRECISION);
}
