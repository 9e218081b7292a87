import { describe, expect, it } from '@jest/globals';
import { complete } from '../turn.ts';
import { yamlParts } from './yaml-text.ts';

const yamlText = (value: unknown): string => Buffer.concat(complete(yamlParts(value))).toString();

describe('YAML', () => {
  it.each<readonly [what: string, value: unknown, text: string]>([
    ['keys in the order of go-yaml', { b10: 1, b9: 1, '.': {}, aB: 1, ab: 1 }, '.: {}\naB: 1\nab: 1\nb9: 1\nb10: 1\n'],
    ['lists with the indentation of their field', { a: [1, { b: [2], c: [] }] }, 'a:\n- 1\n- b:\n  - 2\n  c: []\n'],
    ['nested lists', [[1, 2], []], '- - 1\n  - 2\n- []\n'],
    [
      'double quotes around texts of another type',
      ['1', 'true', 'y', '', '~', '1e3', '2026-01-01', '0x1f', '1:30'],
      '',
    ],
    [
      'no quotes around other texts',
      ['1.2.3', 'a b', '-x', 'x:y', '10%', 'v1', '/a'],
      '- 1.2.3\n- a b\n- -x\n- x:y\n- 10%\n- v1\n- /a\n',
    ],
    ['single quotes around indicators', ['*', 'a: b', '@x', ' a', "'"], "- '*'\n- 'a: b'\n- '@x'\n- ' a'\n- ''''\n"],
    ['escapes', ['a\u0001', 'tab\t'], '- "a\\x01"\n- "tab\\t"\n'],
    [
      'literal texts of several lines',
      { a: 'x\ny', b: 'x\n', c: 'x\n\n' },
      'a: |-\n  x\n  y\nb: |\n  x\nc: |+\n  x\n\n',
    ],
    ['numbers', [1.5, 1e300, 0, -0.00001], '- 1.5\n- 1e+300\n- 0\n- -1e-05\n'],
  ])('K-24: %s', (what, value, text) => {
    const expected = what.startsWith('double') ? (value as string[]).map((item) => `- "${item}"\n`).join('') : text;
    expect(yamlText(value)).toBe(expected);
  });

  it('K-24: a long text continues on the next line, after a word that ends beyond column 80', () => {
    const text = `${'word '.repeat(20)}end`;
    expect(yamlText({ a: text })).toBe(`a: ${'word '.repeat(16).trimEnd()}\n  word word word word end\n`);
    expect(yamlText({ a: `${text}: x` })).toBe(`a: '${'word '.repeat(16).trimEnd()}\n  word word word word end: x'\n`);
    expect(yamlText({ [text]: 1 })).toBe(`${text}: 1\n`);
  });
});
