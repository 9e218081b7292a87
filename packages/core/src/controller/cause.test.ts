import { describe, expect, it } from '@jest/globals';
import { isCausedBy } from './cause.ts';

const isRangeError = (error: Error) => error instanceof RangeError;
const cause = new RangeError('out of range');

describe('the cause of an error', () => {
  it.each<[string, unknown, boolean]>([
    ['the error itself', cause, true],
    ['a cause of a cause', new Error('1', { cause: new Error('2', { cause }) }), true],
    ['all errors of an aggregate', new AggregateError([cause, new Error('1', { cause })]), true],
    ['the cause of an aggregate', new AggregateError([new Error('1')], '2', { cause }), true],
    ['some errors of an aggregate', new AggregateError([cause, new Error('1')]), false],
    ['an empty aggregate', new AggregateError([]), false],
    ['another error', new Error('1', { cause: 'text' }), false],
    ['a value that is not an error', 'text', false],
  ])('SH-4: %s', (_, error, expected) => {
    expect(isCausedBy(error, isRangeError)).toBe(expected);
  });

  it('SH-4: ends with cycles of causes', () => {
    const cyclic = new Error('1');
    cyclic.cause = new AggregateError([cyclic], '2', { cause: cyclic });
    expect(isCausedBy(cyclic, isRangeError)).toBe(false);
  });
});
