import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../response/api-error.ts';
import { retryAfterOf } from './retry-after.ts';

const FIVE_MINUTES = 300_000;

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    ['300', FIVE_MINUTES],
    ['2592000', FIVE_MINUTES],
    ['9'.repeat(400), FIVE_MINUTES],
    ['Fri, 31 Dec 9999 23:59:59 GMT', FIVE_MINUTES],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
  ])('F-6: the header %s is a delay of %s ms, at most 5 min', (header, delay) => {
    expect(retryAfterOf(header)).toBe(delay);
  });

  it.each([
    [7, 7_000],
    [2_592_000, FIVE_MINUTES],
    [Infinity, FIVE_MINUTES],
    [0, undefined],
    [-1, undefined],
    [NaN, undefined],
  ])('F-6: %s seconds in a Status are a delay of %s ms, at most 5 min', (retryAfterSeconds, delay) => {
    expect(new ApiError({ code: 429, details: { retryAfterSeconds } }).retryAfter).toBe(delay);
  });
});
