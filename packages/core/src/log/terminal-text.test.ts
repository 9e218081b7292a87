import { describe, expect, it } from '@jest/globals';
import { terminalText } from './terminal-text.ts';

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** C0, DEL and C1; bidirectional embeddings, overrides, isolates and marks; zero-width; separators; lone surrogates. */
const INVISIBLE = [
  ...[...range(0x00, 0x1f), ...range(0x7f, 0x9f)],
  ...[...range(0x202a, 0x202e), ...range(0x2066, 0x2069), 0x200e, 0x200f, 0x061c],
  ...[...range(0x200b, 0x200d), 0xfeff, 0x00ad, 0x2028, 0x2029, 0xd800, 0xdfff],
];

describe('terminalText', () => {
  it.each(INVISIBLE.map((code) => [code.toString(16).padStart(4, '0'), code] as const))(
    'S-15: shows U+%s as an escape',
    (hex, code) => expect(terminalText(`a${String.fromCharCode(code)}b`)).toBe(`a\\u${hex}b`),
  );

  it('S-15: shows format characters outside the basic plane as escapes', () => {
    expect(terminalText('\u{e0041}')).toBe('\\udb40\\udc41');
  });

  it('leaves visible text as is, and JSON the same JSON', () => {
    const text = 'Zürich 東京 🚀 עברית \\u202e "x"';
    expect(terminalText(text)).toBe(text);
    const value = { name: 'a\u202eb\u009bc', '\u2066': '\u{e0041}' };
    expect(JSON.parse(terminalText(JSON.stringify(value)))).toEqual(value);
  });
});
