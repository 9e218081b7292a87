import { describe, expect, it } from '@jest/globals';
import { clientPattern } from './client-pattern.ts';

describe('patterns of the server in JavaScript', () => {
  it.each([
    ['^a.b$', 'a\rb', 'a\nb'],
    ['^\\s+$', ' \t', '\u00a0'],
    ['^[^\\s]+$', '\u00a0', ' '],
    ['^\\S$', '\u00a0', ' '],
    ['\\Aab\\z', 'ab', 'ab\n'],
    ['^[a\\-z]+$', 'a-z', 'b'],
    ['^a\\-b\\_c\\@$', 'a-b_c@', 'a'],
    ['^[[]$', '[', ']'],
    ['^[]a]+$', ']a', '['],
    ['^[^]a]+$', 'b[', ']'],
    ['^\\x60(?:b|c)\\/$', '`b/', '`d/'],
    ['^[0-9]{1,3}$', '42', '4242'],
  ])('KS-6: checks %s as the server does', (pattern, matching, other) => {
    const expression = clientPattern(pattern);
    expect([matching, other].map((text) => expression?.test(text))).toEqual([true, false]);
  });

  it.each([['^(?i)abort$'], ['(?P<name>a)'], ['[[:alpha:]]'], ['\\pL'], ['\\Qa\\E'], ['[^\\S]'], ['a\\'], ['(']])(
    'KS-6: leaves %s to the server',
    (pattern) => {
      expect(clientPattern(pattern)).toBeUndefined();
    },
  );
});
