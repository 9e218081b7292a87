import { describe, expect, it } from '@jest/globals';
import { serverPattern } from './server-pattern.ts';

describe('KS-2: regular expressions', () => {
  it.each([
    [/^[a-z]+$/, '^[a-z]+$'],
    [/^\d{2,}-\w*\W\D$/, '^\\d{2,}-\\w*\\W\\D$'],
    [/a|b(?:c|d)+?/, 'a|b(?:c|d)+?'],
    [/(?<year>\d{4})/, '(\\d{4})'],
    [/^.*$/, '^[^\\n\\r\\x{2028}\\x{2029}]*$'],
    [/[\s]/, '[\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}]'],
    [/[[:alpha:]]/, '[:\\[ahlp]\\]'],
    [new RegExp('\\/\\-\\u00e9\\x41'), '/-\\x{e9}A'],
    [/[^a-c]/, '[^a-c]'],
    [/^\u{1F600}$/u, '^\\x{1f600}$'],
    [/a{,3}/, 'a\\{,3\\}'],
    [/[a-]/, '[\\-a]'],
    [/[^]/, '[\\x00-\\x{10ffff}]'],
    [new RegExp('[]'), '[^\\x00-\\x{10FFFF}]'],
    [/\bx\B/, '\\bx\\B'],
    [/(?:a{30}){20}/, '(?:a{30}){20}'],
  ])('KS-2: translates %s', (pattern, expected) => {
    expect(serverPattern(pattern)).toBe(expected);
  });

  it.each([
    [/a/i, 'the flag i of /a/ does not exist on the server', 'list both cases, such as [aA]'],
    [/^a/m, 'the flag m of /^a/ does not exist on the server', 'write the expression without flags'],
    [/(?=a)/, 'a lookahead in /(?=a)/ does not exist on the server', 'use two patterns'],
    [/(?!a)b/, 'a lookahead in', 'use two patterns'],
    [/(?<=a)b/, 'a lookbehind in', 'use two patterns'],
    [/(a)\1/, 'a reference to a group in', 'repeat the expression of the group'],
    [/(?<x>a)\k<x>/, 'a reference to a group in', 'repeat the expression of the group'],
    [/\p{L}/u, 'a Unicode property in', 'list the characters'],
    [/\ud83d/, 'half of a surrogate pair in', 'add the flag u'],
    [/\cJ/, 'the escape \\c in', 'write the character itself'],
    [/a{1001}/, '/a{1001}/ repeats more than 1000 times', 'limit the length with .min() and .max()'],
    [/(?:a{40}){30}/, 'repeats more than 1000 times', 'limit the length'],
    [new RegExp('('.repeat(120) + ')'.repeat(120)), 'nesting of more than 100 groups', 'use fewer groups'],
  ])('KS-2: refuses %s', (pattern, problem, remedy) => {
    expect(() => serverPattern(pattern)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(problem) as unknown as string,
        remedy: expect.stringContaining(remedy) as unknown as string,
      }),
    );
  });
});
