import { describe, expect, it } from '@jest/globals';
import { scaledValueOf } from './scaled-value.ts';

describe('scaledValueOf', () => {
  it.each<[value: number | string, total: number, up: number, down: number]>([
    [3, 10, 3, 3],
    [-1, 10, -1, -1],
    [0, 10, 0, 0],
    ['25%', 10, 3, 2],
    ['0%', 10, 0, 0],
    ['100%', 7, 7, 7],
    ['150%', 3, 5, 4],
    ['+25%', 10, 3, 2],
    ['007%', 100, 7, 7],
    ['-25%', 10, -2, -3],
    ['-1%', 1, 0, -1],
    ['29%', 100, 29, 29],
  ])('scales %p of %p to %p rounded up, and to %p rounded down', (value, total, up, down) => {
    expect(scaledValueOf(value, total, { roundUp: true })).toBe(up);
    expect(scaledValueOf(value, total, { roundUp: false })).toBe(down);
  });

  it.each<[value: unknown]>([
    ['5'],
    ['abc'],
    ['%'],
    [''],
    ['1.5%'],
    [' 5%'],
    ['5 %'],
    ['5%%'],
    ['1e2%'],
    ['9'.repeat(30) + '%'],
  ])('refuses %p, as Go does', (value) => {
    expect(() => scaledValueOf(value as string, 10, { roundUp: true })).toThrow(
      'scaledValueOf: value: expected an integer or a percentage such as 25%, found',
    );
  });

  it.each<[value: unknown]>([[undefined], [null], [1.5], [NaN], [true]])(
    'refuses %p, which is not an int-or-string',
    (value) => {
      expect(() => scaledValueOf(value as number, 10, { roundUp: false })).toThrow(TypeError);
    },
  );

  it('refuses a total that is not an integer', () => {
    expect(() => scaledValueOf('5%', NaN, { roundUp: false })).toThrow('total: expected an integer, found NaN');
  });
});
