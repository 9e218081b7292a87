import * as z from 'zod';

const POSITIVE = 'expected a number of milliseconds greater than 0';
const NOT_NEGATIVE = 'expected a number of milliseconds of at least 0';

const number = (expectation: string) =>
  z.number({ error: ({ input }) => (input === Infinity ? 'expected a finite number of milliseconds' : expectation) });

/** Accepts a duration in milliseconds that is greater than 0. */
export const positiveMilliseconds = number(POSITIVE).positive(POSITIVE);

/** Accepts a duration in milliseconds that is 0 or greater. */
export const nonNegativeMilliseconds = number(NOT_NEGATIVE).nonnegative(NOT_NEGATIVE);
