import type { Status } from '../response/api-error.ts';
import { ApiError, isApiError, isGone } from '../response/api-error.ts';
import { isNoKindMatch } from '../kinds/no-kind-match-error.ts';
import { isTransportError, type TransportErrorCode } from '../errors/transport-error.ts';
import { OutgrownListError } from '../watch/watch-size.ts';

/** What the failure of a list or a watch means to a reflector. */
export interface Failure {
  readonly error: Error;
  /**
   * - `expired`: the version or the continue token is older than the server's history.
   * - `version-too-large`: the server has not come as far as the version asked for.
   * - `went-back`: the stream is of a server that is behind what was already seen.
   * - `refused`: the server does not take the request as it is; the same again will not do.
   * - `silent`: nothing was heard for too long.
   * - `outgrown`: the watch has added so much to the list that together they exceed `limits.list`.
   * - `rotated`: the stream ended because the client replaced its certificate.
   * - `unusable`: the data made the client's own code throw, so part of it may have been applied.
   * - `other`: worth trying again.
   */
  readonly reason:
    | 'expired'
    | 'version-too-large'
    | 'went-back'
    | 'refused'
    | 'silent'
    | 'outgrown'
    | 'rotated'
    | 'unusable'
    | 'other';
  /** How long the server asks to be left alone, in milliseconds. */
  readonly retryAfter?: number;
}

/** Whether a request that failed so may do with other credentials. */
function isDenied(error: Error): boolean {
  if (isTransportError(error)) return error.code === 'credentials' || error.code === 'untrusted';
  return isApiError(error) && (error.status === 401 || error.status === 403);
}

/** Failures of the connection, which the server's recovery ends. */
const DISCONNECTED: ReadonlySet<TransportErrorCode> = new Set([
  'refused',
  'unresolved',
  'untrusted',
  'deadline',
  'reset',
  'protocol',
]);

/** Events that end the wait after a failure early. */
export type Wake =
  /** The API server answers again, or the credentials change. */
  | 'recovery'
  /** The credentials change. */
  | 'credentials'
  /** The CustomResourceDefinition of the kind is created or changed. */
  | 'kind'
  /** Nothing: the server asked for the wait, or the wait limits a rate. */
  | 'nothing';

export function wakeOf({ error, reason }: Failure): Wake {
  if (reason === 'silent') return 'recovery';
  if (isTransportError(error) && DISCONNECTED.has(error.code)) return 'recovery';
  if (isDenied(error)) return 'credentials';
  if (isNoKindMatch(error) || (isApiError(error) && error.status === 404)) return 'kind';
  return isApiError(error) && error.status >= 500 ? 'recovery' : 'nothing';
}

/** What has to come was not heard on a watch in time, and the server did not end it either. */
export class SilentWatchError extends Error {
  override readonly name = 'SilentWatchError';
}

/** The cause of a 504 for a version of the future. (Upstream: `metav1.CauseTypeResourceVersionTooLarge`.) */
const VERSION_TOO_LARGE = 'ResourceVersionTooLarge';

/** Answers to a request that the server does not understand or offer. A forbidden or throttled one is another matter. */
const REFUSALS: ReadonlySet<number> = new Set([400, 405, 406, 415, 422, 501]);

/** Of what a list or a watch threw. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SilentWatchError) return { error, reason: 'silent' };
  if (error instanceof OutgrownListError) return { error, reason: 'outgrown' };
  if (isTransportError(error) && error.code === 'rotated') return { error, reason: 'rotated' };
  if (!isApiError(error)) return { error: error instanceof Error ? error : new Error(String(error)), reason: 'other' };
  const { retryAfter } = error;
  return { error, reason: reasonOf(error), ...(retryAfter !== undefined && { retryAfter }) };
}

/** Of the object of an `ERROR` event. */
export function failureOfStatus(status: Status): Failure {
  return failureOf(new ApiError(status));
}

function isVersionTooLarge(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && 'reason' in cause && cause.reason === VERSION_TOO_LARGE;
}

function reasonOf(error: ApiError): Failure['reason'] {
  const causes: unknown = error.details?.causes;
  if (Array.isArray(causes) && causes.some(isVersionTooLarge)) return 'version-too-large';
  if (REFUSALS.has(error.status)) return 'refused';
  return isGone(error) ? 'expired' : 'other';
}
