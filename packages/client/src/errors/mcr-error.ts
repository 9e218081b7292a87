/** Key of {@link McrError}'s brand. */
export const ERROR_BRAND: unique symbol = Symbol.for('mcr.dev/error');

/**
 * Base class of the public errors of all packages. Its brand identifies the class even if a program has several copies of
 * a package, where `instanceof` fails.
 */
export abstract class McrError extends Error {
  /** Package and name of the class, for example `@mcr/client/ApiError`. */
  abstract readonly [ERROR_BRAND]: string;
}

/** Whether `error` is of the class `E`, or of a subclass, in any copy of its package. */
export function hasBrand<E extends McrError>(error: unknown, brand: E[typeof ERROR_BRAND]): error is E {
  return typeof error === 'object' && error !== null && ERROR_BRAND in error && error[ERROR_BRAND] === brand;
}
