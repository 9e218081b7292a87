/** Numbers that are not plain integers in their JSON text, by the object or list that contains them. */
const texts = new WeakMap<object, Map<string, string>>();

/** Finds texts that may contain such numbers. */
const SUSPECT = /\d(?:\.\d|[eE]|\d{15})/u;

/**
 * Parses JSON and remembers how its numbers are written: Go accepts `1` for an integer, but neither `1.0` nor `1e0`.
 *
 * @throws {SyntaxError}
 */
export function parseNumbers(json: string): unknown {
  if (!SUSPECT.test(json)) return JSON.parse(json);
  // The type of TypeScript's library has no third parameter.
  const reviver = function (this: object, key: string, value: unknown, { source }: { source: string }): unknown {
    if (typeof value === 'number' && source !== String(value)) noteNumberText(this, key, source);
    return value;
  };
  return JSON.parse(json, reviver as (this: object, key: string, value: unknown) => unknown);
}

/** Finds texts that may contain a number beyond those of a double. */
const OVERFLOWING = /\d[eE]\+?\d{3}|\d{309}/u;

/** The strings and the numbers of a JSON text. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/gu;

/** Returns the first number beyond those of a double, which `JSON.parse` reads as infinity. @param json valid JSON. */
export function overflowingNumber(json: string): string | undefined {
  if (!OVERFLOWING.test(json)) return undefined;
  for (const [token] of json.matchAll(TOKENS)) {
    if (!token.startsWith('"') && !Number.isFinite(Number(token))) return token;
  }
  return undefined;
}

/** Returns the text of a number that is not written as JSON.stringify writes it. */
export function numberText(container: object, key: string): string | undefined {
  return texts.get(container)?.get(key);
}

/** Copies what is known about the text of a number to another place. */
export function copyNumberText(from: object, key: string, to: object, toKey = key): void {
  const text = numberText(from, key);
  if (text !== undefined) noteNumberText(to, toKey, text);
}

/** Notes how the number in a field or item is written. */
export function noteNumberText(container: object, key: string, text: string): void {
  const known = texts.get(container) ?? new Map<string, string>();
  texts.set(container, known.set(key, text));
}

const INTEGER = /^-?\d+$/u;

/** Reports whether a number is written with a fraction or an exponent, so that Go decodes it into a `float64`. */
export function isWrittenAsFloat(container: object, key: string, value: unknown): boolean {
  const text = numberText(container, key);
  return text !== undefined && !INTEGER.test(text) && Number(text) === value;
}
