/** A character that Go does not print (`unicode.IsPrint`). */
export const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

const ESCAPED = new RegExp(String.raw`["\\]|${UNPRINTABLE.source}`, 'gu');

/** Characters that Go escapes with a letter. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ '\u0007': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\u000b': 'v', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\' },
};

/** Quotes a text as Go's `%q` does. */
export function goQuote(text: string): string {
  return `"${text.replaceAll(ESCAPED, escaped)}"`;
}

function escaped(character: string): string {
  const letter = LETTERS[character];
  if (letter !== undefined) return `\\${letter}`;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code <= 0x7f) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}
