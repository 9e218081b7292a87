import { isTooDeep, TOO_DEEP } from './nesting.ts';

/** Returns Go's message for a text that is not JSON. */
export function jsonFault(text: string): string | undefined {
  if (isTooDeep(text)) return TOO_DEEP;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? syntaxFault(text, error.message) : '';
  }
}

/** Where a character was unexpected, by the beginning of the message of V8. */
const PLACES: readonly (readonly [start: string, place: string])[] = [
  ['Expected property name', 'looking for beginning of object key string'],
  ['Expected double-quoted property name', 'looking for beginning of object key string'],
  ["Expected ':'", 'after object key'],
  ["Expected ',' or '}'", 'after object key:value pair'],
  ["Expected ',' or ']'", 'after array element'],
  ['Unexpected non-whitespace', 'after top-level value'],
];

/** Returns Go's message for the error of `JSON.parse`. */
export function syntaxFault(text: string, message: string): string {
  const position = Number(/ at position (\d+)/.exec(message)?.[1] ?? NaN);
  if (message.startsWith('Unexpected end') || message.startsWith('Unterminated') || position >= text.length) {
    return 'unexpected end of JSON input';
  }
  const place = PLACES.find(([start]) => message.startsWith(start))?.[1] ?? 'looking for beginning of value';
  const [, token] = /^Unexpected token '(.)'/su.exec(message) ?? [];
  const character = token ?? text.charAt(position);
  return `invalid character '${character}' ${place}`;
}
