import { ERROR_BRAND, hasBrand, McrError } from '../errors/mcr-error.ts';
import { limitedRetryAfter } from '../transport/retry-after.ts';
import { boundedStatus, type Status, type StatusDetails } from './status.ts';

export type { Status, StatusCause, StatusDetails } from './status.ts';

/** Options of {@link ApiError}. */
export interface ApiErrorOptions extends ErrorOptions {
  /** Time until the caller may retry, in milliseconds. Default: `details.retryAfterSeconds` of the status. */
  readonly retryAfter?: number;
}

/**
 * An API server refused a request or sent an invalid response. Texts are shortened: messages to 1 KiB, reasons and
 * names to 256 bytes. At most 32 causes are kept. (Upstream: `apimachinery/pkg/api/errors.StatusError`.)
 */
export class ApiError extends McrError {
  override readonly name = 'ApiError';
  readonly [ERROR_BRAND] = '@mcr/client/ApiError';
  /** The HTTP status code. */
  readonly status: number;
  /** Machine-readable reason, for example `AlreadyExists`; `''` if the server gave none. */
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** Time that the server asks the client to wait, in milliseconds. Limited to 5 minutes. */
  readonly retryAfter: number | undefined;

  /** @param status the status of a response or of an `ERROR` event of a watch. Fields of a wrong type are ignored. */
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
  return hasBrand<ApiError>(error, '@mcr/client/ApiError');
}

/** Reports a 404: the object or the resource does not exist. */
export const isNotFound = (error: unknown): error is ApiError => hasStatus(error, 404);

/** Reports a 409 on create: an object with that name already exists. */
export const isAlreadyExists = (error: unknown): error is ApiError =>
  hasStatus(error, 409) && error.reason === 'AlreadyExists';

/** Reports a 409 on write: the object has changed since it was read. */
export const isConflict = (error: unknown): error is ApiError =>
  hasStatus(error, 409) && error.reason !== 'AlreadyExists';

/** Reports a 410: the resource version or the page of a list has expired (reasons `Expired` and `Gone`). */
export const isGone = (error: unknown): error is ApiError => hasStatus(error, 410);

/** Reports a 422: the object is not valid. `details.causes` names the fields. */
export const isInvalid = (error: unknown): error is ApiError => hasStatus(error, 422);

/** Reports a 403: these credentials do not permit the request. */
export const isForbidden = (error: unknown): error is ApiError => hasStatus(error, 403);

/** Reports a 401: the server does not accept these credentials. */
export const isUnauthorized = (error: unknown): error is ApiError => hasStatus(error, 401);

/** Reports a 429: the server is overloaded. `retryAfter` is the time to wait. */
export const isTooManyRequests = (error: unknown): error is ApiError => hasStatus(error, 429);

/** Reports a 504: the server could not finish in time. */
export const isTimeout = (error: unknown): error is ApiError => hasStatus(error, 504);

function hasStatus(error: unknown, status: number): error is ApiError {
  return isApiError(error) && error.status === status;
}
