import type { Clock, Transport } from '@mcr/client';
import {
  Backoff,
  checkHealth,
  isApiError,
  isForbidden,
  isTransportError,
  isUnauthorized,
  serverVersion,
  sleep,
} from '@mcr/client';
import { ClusterUnreadyError } from './cluster-unready-error.ts';
import type { WriteHealth } from './write-health.ts';

/** Deadline of one attempt, in milliseconds. */
const TRY_TIMEOUT = 10_000;

export interface PingOptions {
  readonly transport: Transport;
  /** Name of the cluster in errors, for example `cluster "eu-1"`. */
  readonly subject: string;
  /** Host and port of its API server. */
  readonly host: string;
}

interface HealthOptions {
  readonly clock: Clock;
  readonly writeHealth: Pick<WriteHealth, 'problem'>;
}

export interface PingCall {
  readonly signal: AbortSignal;
  /** Deadline in milliseconds. */
  readonly timeout: number;
}

export interface ReadinessOptions extends PingOptions {
  readonly clock: Clock;
  /** Called after each failed attempt. */
  readonly onFailure?: (error: Error) => void;
}

/**
 * Checks once that an API server and its storage work, and that recent writes succeeded.
 *
 * @throws {ClusterUnreadyError} with the failure as `cause`.
 */
export async function ping(options: PingOptions & HealthOptions, call: PingCall): Promise<void> {
  try {
    await checkHealth(options.transport, { ...call, clock: options.clock });
  } catch (error) {
    throw new ClusterUnreadyError(`${options.subject} ${healthProblem(error, options.host)}`, { cause: error });
  }
  const { problem } = options.writeHealth;
  if (problem !== undefined) throw new ClusterUnreadyError(`${options.subject} ${problem}`);
}

/**
 * Requests the version of an API server until it answers, and resolves with that version.
 *
 * An unreachable server is retried soon. A server that refuses the credentials is retried rarely, because a token may
 * become valid later but each attempt is an entry in the server's audit log.
 *
 * @throws {ClusterUnreadyError} with the last failure as `cause`, if `signal` aborts or the transport is closed.
 */
export async function waitForVersion(options: ReadinessOptions, signal: AbortSignal): Promise<string> {
  const { transport, clock, onFailure } = options;
  const soon = new Backoff({ base: 250, max: 10_000 });
  const seldom = new Backoff({ base: 5_000, max: 60_000 });
  let last: ClusterUnreadyError | undefined;
  for (;;) {
    try {
      signal.throwIfAborted();
      const { gitVersion } = await serverVersion(transport, { signal, timeout: TRY_TIMEOUT, retry: 'never' });
      return gitVersion;
    } catch (error) {
      if (signal.aborted)
        throw (
          last ??
          new ClusterUnreadyError(`${options.subject} was not asked: the signal aborted before the first attempt`, {
            cause: error,
          })
        );
      last = unready(error, options);
      if (isTransportError(error) && error.code === 'closed') throw last;
      onFailure?.(last);
      const backoff = isUnauthorized(error) || isForbidden(error) ? seldom : soon;
      await sleep(clock, backoff.next(), signal).catch(() => undefined);
    }
  }
}

function unready(cause: unknown, { subject, host }: PingOptions): ClusterUnreadyError {
  return new ClusterUnreadyError(`${subject} ${problem(cause, host)}`, { cause });
}

function healthProblem(error: unknown, host: string): string {
  if (isTransportError(error) || isUnauthorized(error)) return problem(error, host);
  return `is not ready: ${host}: ${error instanceof Error ? error.message : String(error)}`;
}

function problem(error: unknown, host: string): string {
  if (isTransportError(error)) return `does not answer: ${error.message}`;
  if (isUnauthorized(error)) return `refuses the credentials: ${host} answers 401 Unauthorized`;
  if (isForbidden(error)) return `refuses GET /version: ${host} answers 403 Forbidden`;
  if (isApiError(error) && error.status >= 400)
    return `is not ready: ${host} answers GET /version with ${error.status}: ${error.message}`;
  return `is not a Kubernetes API server: ${host} answered GET /version without a version`;
}
