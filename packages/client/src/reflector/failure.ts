import type { Status } from '../response/api-error.ts';
import { ApiError, isApiError, isGone } from '../response/api-error.ts';
import { isNoKindMatch } from '../kinds/no-kind-match-error.ts';
import { isTransportError, type TransportErrorCode } from '../errors/transport-error.ts';
import { isShardMismatch } from '../shards/shard-mismatch-error.ts';
import { OutgrownListError } from '../watch/watch-size.ts';

/** Classifies the failure of a list or a watch for a reflector. */
export interface Failure {
  readonly error: Error;
  /**
   * - `expired`: the version or the continue token is older than the server's history.
   * - `version-too-large`: the server has not reached the requested version.
   * - `went-back`: the stream is older than what was already received.
   * - `refused`: the server does not support the request, so a retry would fail too.
   * - `silent`: the server sent nothing for too long.
   * - `outgrown`: the list and the objects that the watch added exceed `limits.list`.
   * - `rotated`: the stream ended because the client replaced its certificate.
   * - `unusable`: the client's own code threw on the data, which may be partly applied, or objects may be missing from it.
   * - `other`: a retry may succeed.
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
  /** Time that the server asks the client to wait, in milliseconds. */
  readonly retryAfter?: number;
}

/** Reports whether the request may succeed with other credentials. */
function isDenied(error: Error): boolean {
  if (isTransportError(error)) return error.code === 'credentials' || error.code === 'untrusted';
  return isApiError(error) && (error.status === 401 || error.status === 403);
}

/** Codes of failed connections. They end when the server recovers. */
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
  /** The API server responds again, or the credentials change. */
  | 'recovery'
  /** The credentials change. */
  | 'credentials'
  /** The CustomResourceDefinition of the kind is created or changed. */
  | 'kind'
  /** None: the server asked for the wait, or the wait limits a rate. */
  | 'nothing';

export function wakeOf({ error, reason }: Failure): Wake {
  if (reason === 'silent') return 'recovery';
  if (isTransportError(error) && DISCONNECTED.has(error.code)) return 'recovery';
  if (isDenied(error)) return 'credentials';
  if (isNoKindMatch(error) || (isApiError(error) && error.status === 404)) return 'kind';
  return isApiError(error) && error.status >= 500 ? 'recovery' : 'nothing';
}

/** A watch sent neither data nor its end in time. */
export class SilentWatchError extends Error {
  override readonly name = 'SilentWatchError';
}

/**
 * Cause of a 504 for a version that the server has not reached. (Upstream: `metav1.CauseTypeResourceVersionTooLarge`.)
 */
const VERSION_TOO_LARGE = 'ResourceVersionTooLarge';

/**
 * Status codes for requests that the server does not understand or support. Forbidden and throttled requests are
 * handled elsewhere.
 */
const REFUSALS: ReadonlySet<number> = new Set([400, 405, 406, 415, 422, 501]);

/** Classifies an error of a list or a watch. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SilentWatchError) return { error, reason: 'silent' };
  if (isShardMismatch(error)) return { error, reason: 'unusable' };
  if (error instanceof OutgrownListError) return { error, reason: 'outgrown' };
  if (isTransportError(error) && error.code === 'rotated') return { error, reason: 'rotated' };
  if (!isApiError(error)) return { error: error instanceof Error ? error : new Error(String(error)), reason: 'other' };
  const { retryAfter } = error;
  return { error, reason: reasonOf(error), ...(retryAfter !== undefined && { retryAfter }) };
}

/** Classifies the object of an `ERROR` event. */
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
