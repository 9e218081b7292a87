/**
 * Control characters (C0, C1, DEL), format characters (bidirectional overrides, isolates and marks, zero-width
 * characters), line and paragraph separators, and lone surrogates.
 */
const NOT_VISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Replaces each character that a terminal would not show with its `\uXXXX` escape, so that text from clusters, files
 * and users can neither move the cursor, nor reorder a line, nor forge one. JSON text remains equivalent JSON.
 */
export function terminalText(text: string): string {
  return text.replaceAll(NOT_VISIBLE, (character) =>
    Array.from({ length: character.length }, (_, unit) => escaped(character.charCodeAt(unit))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
