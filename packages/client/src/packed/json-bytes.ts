export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const NEWLINE = 0x0a;
export const SPACE = 0x20;

/**
 * Bytes by their meaning in a string: 1 for ASCII characters that stand for themselves, 2 for bytes of other
 * characters, 0 for a quote, a backslash and control characters.
 */
export const TEXT = new Uint8Array(256).fill(1, SPACE).fill(2, 0x80);
TEXT[QUOTE] = 0;
TEXT[BACKSLASH] = 0;

/** Reports whether the bytes at an index are those of `text`. */
export function equals(b: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i += 1) {
    if (b[at + i] !== text[i]) return false;
  }
  return true;
}
