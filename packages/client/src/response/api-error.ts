import { limitedRetryAfter } from '../transport/retry-after.ts';
import { boundedStatus, type Status } from './status.ts';

export type { Status } from './status.ts';

/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/client/ApiError');

export interface ApiErrorOptions extends ErrorOptions {
  /** When the caller may try again, in milliseconds from now. Default: what the status says. */
  readonly retryAfter?: number;
}

/**
 * An API server refused a request, or sent a response that cannot be used. Texts are shortened: messages to 1 KiB,
 * reasons and names to 256 bytes. There are at most 32 causes. (Upstream: `apimachinery/pkg/api/errors.StatusError`.)
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly [BRAND] = true;
  /** The HTTP status code. */
  readonly status: number;
  /** The machine-readable reason, for example `AlreadyExists`; `''` when the server gave none. */
  readonly reason: string;
  readonly details: Status['details'];
  /** How long the server asks the client to wait, in milliseconds: at most 5 minutes, whatever it says. */
  readonly retryAfter: number | undefined;

  /**
   * @param status the status from a response or from an `ERROR` event of a watch; fields of a wrong type are ignored.
   */
  constructor(status: Status, options: ApiErrorOptions = {}) {
    const { message, reason = '', code = 500, details } = boundedStatus(status);
    super(message || reason || `the server answered with status ${code}`, options);
    this.status = code;
    this.reason = reason;
    this.details = details;
    const seconds = details?.retryAfterSeconds;
    this.retryAfter = options.retryAfter ?? (seconds && seconds > 0 ? limitedRetryAfter(seconds * 1000) : undefined);
  }
}

/** Whether `error` is an {@link ApiError}. */
export function isApiError(error: unknown): error is ApiError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** 404: there is no such object, or no such resource. */
export const isNotFound = (error: unknown): error is ApiError => hasStatus(error, 404);

/** 409 of a create: an object of that name exists. */
export const isAlreadyExists = (error: unknown): error is ApiError =>
  hasStatus(error, 409) && error.reason === 'AlreadyExists';

/** 409 of a write: the object has changed since it was read. */
export const isConflict = (error: unknown): error is ApiError =>
  hasStatus(error, 409) && error.reason !== 'AlreadyExists';

/** 410: that version, or that page of a list, is no longer kept (reasons `Expired` and `Gone`). */
export const isGone = (error: unknown): error is ApiError => hasStatus(error, 410);

/** 422: the object is not valid; `details.causes` names the fields. */
export const isInvalid = (error: unknown): error is ApiError => hasStatus(error, 422);

/** 403: these credentials may not do that. */
export const isForbidden = (error: unknown): error is ApiError => hasStatus(error, 403);

/** 401: the server does not know these credentials, or no longer. */
export const isUnauthorized = (error: unknown): error is ApiError => hasStatus(error, 401);

/** 429: the server has too much to do; `retryAfter` says when to come again. */
export const isTooManyRequests = (error: unknown): error is ApiError => hasStatus(error, 429);

/** 504: the server could not finish in time. */
export const isTimeout = (error: unknown): error is ApiError => hasStatus(error, 504);

function hasStatus(error: unknown, status: number): error is ApiError {
  return isApiError(error) && error.status === status;
}
