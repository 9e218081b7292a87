import { ApiError, isForbidden, isNotFound } from '../response/api-error.ts';
import { readJson } from '../response/response-body.ts';
import { systemClock, type Clock } from '../clock/clock.ts';
import type { Transport, TransportResponse } from '../transport/transport.ts';
import { isTransportError } from '../errors/transport-error.ts';

/** Default deadline of a check, in milliseconds. If etcd is down, `/readyz` of v1.35 returns 500 after 4 s. */
export const HEALTH_CHECK_TIMEOUT = 5_000;

/** Options of {@link checkHealth}. */
export interface HealthCheckOptions {
  readonly signal: AbortSignal;
  /** Deadline of the whole check, in milliseconds. Default: 5,000. */
  readonly timeout?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Result of a successful check.
 *
 * - `storage`: the API server reads from its storage.
 * - `server`: the API server responds, but the credentials do not allow a request that reaches storage.
 */
export type HealthProof = 'storage' | 'server';

/** The server serves `/livez`, `/version` and reads at `resourceVersion=0` from memory, even while etcd is down. */
const READYZ = '/readyz';
/** Read without `resourceVersion`, so that the API server does a quorum read. */
const OBJECT = '/api/v1/namespaces/kube-system';

/**
 * Checks that an API server and its storage work, with `GET /readyz`. If the credentials do not allow that (401, 403,
 * 404), or the body of a success is not `ok`, it gets the namespace `kube-system` instead. There, a 404 also proves
 * that storage was read, and a 403 proves that the server responds. A 500 of `/readyz` is a failure, whichever check
 * failed, because the server reports that it is not ready.
 *
 * If a connection stays silent for a second, the request is sent once more, on another connection.
 *
 * @throws {ApiError} if the server reports that it is not ready, or rejects the credentials (401).
 * @throws {TransportError} if there is no response before the deadline.
 */
export async function checkHealth(
  transport: Transport,
  { signal, timeout = HEALTH_CHECK_TIMEOUT, clock = systemClock }: HealthCheckOptions,
): Promise<HealthProof> {
  const deadline = clock.now() + timeout;
  const timeLeft = () => Math.ceil(deadline - clock.now());
  const send = (path: string): Promise<TransportResponse> => {
    const options = { signal, timeout: Math.max(1, timeLeft()), retry: 'never', testsConnection: true } as const;
    return transport.send({ method: 'GET', path, ...options, purpose: 'version' });
  };
  const get = (path: string): Promise<TransportResponse> =>
    send(path).catch((error: unknown) => {
      // The connection is silent; the server may respond on another one.
      if (isTransportError(error) && error.code === 'deadline' && timeLeft() > 0) return send(path);
      throw error;
    });
  return (await isReady(await get(READYZ))) ? 'storage' : readObject(await get(OBJECT));
}

/** Statuses of `/readyz` that do not depend on the server's health. */
const UNREADABLE: ReadonlySet<number> = new Set([401, 403, 404]);

/** Returns `false` if the response does not show whether the server is ready. @throws {ApiError} if it is not ready. */
async function isReady(response: TransportResponse): Promise<boolean> {
  if (UNREADABLE.has(response.status)) {
    response.cancel();
    return false;
  }
  const text = Buffer.from(await response.bytes()).toString('utf8');
  if (response.status >= 200 && response.status <= 299) return text.trim() === 'ok';
  throw new ApiError({ code: response.status, message: notReady(response.status, text) });
}

async function readObject(response: TransportResponse): Promise<HealthProof> {
  try {
    await readJson(response, `GET ${OBJECT}`);
    return 'storage';
  } catch (error) {
    if (isNotFound(error) && error.reason === 'NotFound') return 'storage';
    if (isForbidden(error)) return 'server';
    throw error;
  }
}

/** A line of `/readyz` about a check that failed, for example `[-]etcd failed: reason withheld`. */
const FAILED_CHECK = /^\[-\]([\w./-]{1,63}) /gm;
/** Maximum number of failed checks named in one message. */
const MAX_NAMES = 5;

function notReady(status: number, text: string): string {
  const names = Array.from(text.slice(0, 16_384).matchAll(FAILED_CHECK), ([, name]) => name);
  const listed = names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');
  return `GET ${READYZ} answered ${status}${names.length > 0 ? `: failed checks: ${listed}` : ''}`;
}
