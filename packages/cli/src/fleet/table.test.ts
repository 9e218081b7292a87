import { describe, expect, it } from '@jest/globals';
import stringWidth from 'string-width';
import { Table, tableText } from './table.ts';

/** Names that take more or fewer columns of a terminal than they have characters, or that try to change the layout. */
const NAMES = [
  'eu-1',
  '東京-クラスタ',
  '서울',
  'e\u0301t\u0301e\u0301',
  '🚀🚀',
  '🇪🇺',
  'a\u001b[2Jb\n\tc',
  '\u202Eback',
  '\uD800',
];

describe('tables', () => {
  it('WB-5: keeps columns straight for wide characters, emoji, combining marks and control characters', () => {
    const lines = tableText(NAMES.map((name) => [name, '|', 'end']))
      .split('\n')
      .slice(0, -1);
    expect(lines).toHaveLength(NAMES.length);
    const columns = lines.map((line) => stringWidth(line.slice(0, line.lastIndexOf('|'))));
    expect(new Set(columns).size).toBe(1);
    expect(lines.join('')).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });

  it('WB-5: cuts the last cell to the width of a terminal, never into a character, and not below 20 columns', () => {
    const rows = [['a', '東京'.repeat(30)]];
    const widthOf = (width?: number): number => stringWidth(tableText(rows, { width }).trimEnd());
    expect(widthOf(40)).toBe(39);
    expect(widthOf(41)).toBe(41);
    expect(widthOf(10)).toBe(23);
    expect(widthOf()).toBe(124);
    expect(tableText(rows, { width: 30 })).toMatch(/^a {3}[東京]+…\n$/);
  });

  it('WB-5: later lines of a table keep the widths of earlier ones', () => {
    const table = new Table();
    expect(table.lines([['long name', 'x']])).toBe('long name   x\n');
    expect(table.lines([['b', 'y']])).toBe('b           y\n');
    expect(table.lines([])).toBe('');
    expect(table.lines([['c', 'z']])).toBe('c           z\n');
  });
});
