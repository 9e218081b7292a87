/**
 * A type of values as JSON holds them: an optional field is absent, and never `undefined`. zod infers `field?: T | undefined`; the
 * types of built-in kinds and of generated modules say `field?: T`. With `exactOptionalPropertyTypes`, only values of the second
 * form fit both.
 */
export type Exact<T> = unknown extends T
  ? T
  : T extends object
    ? T extends string | number | bigint | boolean
      ? T
      : { [K in keyof T]: Exact<Exclude<T[K], undefined>> }
    : T;
