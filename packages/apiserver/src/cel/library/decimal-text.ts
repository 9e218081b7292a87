/** Largest number of digits of `Number.prototype.toFixed`. */
const MOST_DIGITS = 100;

const DEFAULT_PRECISION = 6;

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

const INFINITY = '∞';

/**
 * Returns a number with a fixed number of digits after the point, with commas between thousands. (Upstream: the printer of
 * `golang.org/x/text/message` for American English.)
 */
export function groupedText(value: number, precision = DEFAULT_PRECISION): string {
  if (!Number.isFinite(value)) return wordOf(value);
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(.*)$/u.exec(fixedText(value, precision)) ?? [];
  return sign + whole.replaceAll(/\B(?=(?:\d{3})+$)/gu, ',') + fraction;
}

/** Returns a number with a power of ten. @param width smallest length of the text. */
export function scientificText(value: number, width = DEFAULT_PRECISION): string {
  if (!Number.isFinite(value)) return wordOf(value).padStart(width);
  const [mantissa = '', power = ''] = value.toExponential(DEFAULT_PRECISION).split('e');
  const digits = power.slice(1).padStart(2, '0');
  const raised = Array.from(digits, (digit) => SUPERSCRIPTS.charAt(Number(digit))).join('');
  return `${mantissa}×10${power.startsWith('-') ? '⁻' : ''}${raised}`.padStart(width);
}

function wordOf(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? INFINITY : `-${INFINITY}`;
}

/** Returns a number with digits after the point, rounded to the even one of two that are equally near, as Go does. */
export function fixedText(value: number, precision: number): string {
  if (Math.abs(value) >= 1e21) {
    const zeros = precision === 0 ? '' : `.${'0'.repeat(precision)}`;
    return BigInt(value).toString() + zeros;
  }
  const places = Math.min(precision, MOST_DIGITS);
  const rounded = value.toFixed(places) + '0'.repeat(precision - places);
  const exact = value.toFixed(MOST_DIGITS);
  const cut = exact.indexOf('.') + 1 + places;
  const truncated = exact.slice(0, places === 0 ? cut - 1 : cut);
  const isTie = /^50*$/u.test(exact.slice(cut));
  const isEven = Number(truncated.at(-1)) % 2 === 0;
  return isTie && isEven ? truncated : rounded;
}
