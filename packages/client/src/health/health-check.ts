import { ApiError, isForbidden, isNotFound } from '../client/api-error.ts';
import { readJson } from '../client/response-body.ts';
import { systemClock, type Clock } from '../clock/clock.ts';
import type { Transport, TransportResponse } from '../transport/transport.ts';
import { isTransportError } from '../transport/transport-error.ts';

/** Default deadline of a check, in milliseconds: `/readyz` of v1.35 answers 500 after 4 s if etcd is down. */
export const HEALTH_CHECK_TIMEOUT = 5_000;

export interface HealthCheckOptions {
  readonly signal: AbortSignal;
  /** Deadline of the whole check, in milliseconds. Default: 5,000. */
  readonly timeout?: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/**
 * Result of a successful check. `storage`: the API server reads from its storage. `server`: the API server answers,
 * but these credentials may not send a request that reaches storage.
 */
export type HealthProof = 'storage' | 'server';

/** `/livez`, `/version` and reads at `resourceVersion=0` are answered from memory, so they succeed while etcd is down. */
const READYZ = '/readyz';
/** Read without `resourceVersion`, so that the API server asks a quorum of its storage. */
const OBJECT = '/api/v1/namespaces/kube-system';

/**
 * Checks that an API server and its storage work: `GET /readyz`. If these credentials may not read that (401, 403, 404)
 * or it answers something other than `ok`, it sends a `GET` of the namespace `kube-system`: there, a 404 also proves
 * that storage was read, and a 403 proves that the server answers. A 500 of `/readyz` is a failure, whichever of its
 * checks failed: the server reports itself as not ready.
 *
 * A connection that shows no sign of life within a second is left, once: the request is sent again on another one.
 *
 * @throws {ApiError} if the server answers that it is not ready, or refuses the credentials (401).
 * @throws {TransportError} if no answer came within the deadline.
 */
export async function checkHealth(
  transport: Transport,
  { signal, timeout = HEALTH_CHECK_TIMEOUT, clock = systemClock }: HealthCheckOptions,
): Promise<HealthProof> {
  const deadline = clock.now() + timeout;
  const left = () => Math.ceil(deadline - clock.now());
  const send = (path: string): Promise<TransportResponse> => {
    const options = { signal, timeout: Math.max(1, left()), retry: 'never', testsConnection: true } as const;
    return transport.send({ method: 'GET', path, ...options, purpose: 'version' });
  };
  const get = (path: string): Promise<TransportResponse> =>
    send(path).catch((error: unknown) => {
      // The connection is silent; the server may answer on another one.
      if (isTransportError(error) && error.code === 'deadline' && left() > 0) return send(path);
      throw error;
    });
  return (await isReady(await get(READYZ))) ? 'storage' : readObject(await get(OBJECT));
}

/** Statuses of `/readyz` that do not depend on the server's health. */
const UNREADABLE: ReadonlySet<number> = new Set([401, 403, 404]);

/** `false` if the response does not say. @throws {ApiError} if the server is not ready. */
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
const MOST_NAMES = 5;

function notReady(status: number, text: string): string {
  const names = Array.from(text.slice(0, 16_384).matchAll(FAILED_CHECK), ([, name]) => name);
  const listed = names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ', …' : '');
  return `GET ${READYZ} answered ${status}${names.length > 0 ? `: failed checks: ${listed}` : ''}`;
}
