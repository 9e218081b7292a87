import { describe, expect, it } from '@jest/globals';
import { shortened } from './shortened.ts';

describe('shortened', () => {
  it('returns a text within the limit as is, counted in bytes', () => {
    for (const text of ['', 'a'.repeat(1024), 'é'.repeat(512), '🐢'.repeat(256)]) expect(shortened(text)).toBe(text);
  });

  it('S-11: truncates a longer text between characters and ends it with an ellipsis', () => {
    expect(shortened('a'.repeat(1025))).toBe(`${'a'.repeat(1021)}…`);
    expect(shortened('🐢'.repeat(257))).toBe(`${'🐢'.repeat(255)}…`);
    expect(shortened(`a${'🐢'.repeat(257)}`)).toBe(`a${'🐢'.repeat(255)}…`);
    expect(Buffer.byteLength(shortened('é'.repeat(60_000_000)))).toBeLessThanOrEqual(1024);
  });

  it('accepts another limit', () => {
    expect(shortened('abcdefgh', 8)).toBe('abcdefgh');
    expect(shortened('abcdefghi', 8)).toBe('abcde…');
  });
});
