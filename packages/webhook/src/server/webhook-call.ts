import type { Clock, ClusterName, Logger, WebhookMetrics } from '@mcr/core';
import { DocumentError, OBJECT_LIMITS, orAborted, parseDocument, formatJson, workInTurn } from '@mcr/core/provider';
import type { WebhookCluster } from '../admission/admission-context.ts';
import type { CallerAuth } from './caller.ts';
import { authenticate } from './caller.ts';
import { splitClusterPath } from './cluster-path.ts';
import type { Endpoint, Review } from './endpoint.ts';
import type { ServerReply, ServerRequest } from './listener.ts';
import { checkAnnouncedSize, readBody } from './read-body.ts';
import type { RefusalLog } from './refusal-log.ts';
import { badRequest, RefusedRequestError } from './refused-request-error.ts';
import { reviewTimeout } from './review-timeout.ts';
import type { RequestLimit } from './request-limit.ts';
import { RETRY_AFTER } from './request-limit.ts';
import { sendBody } from './send-body.ts';

/** Parts of a server that every call uses. */
export interface CallParts {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly limit: RequestLimit;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly refusals: RefusalLog;
  readonly metrics: WebhookMetrics | undefined;
  readonly callerAuth: CallerAuth | undefined;
  /** Longest time for a review, and for its response to be read, in milliseconds. */
  readonly timeout: number;
  /** Aborts calls in progress. */
  readonly closing: AbortSignal;
  readonly clusterOf: (name: ClusterName) => Promise<WebhookCluster>;
}

/** The deadline of a review has passed. */
class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

interface Answer {
  readonly status: number;
  readonly type: 'application/json' | 'text/plain; charset=utf-8';
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response of a review takes room until it is sent. */
interface ReviewAnswer extends Answer {
  /** Aborts if the room is needed. */
  readonly signal: AbortSignal;
  readonly release: () => void;
}

/** Size of a body that is discarded after a response, in bytes, and the time for it, in milliseconds. */
const DISCARDED_BYTES = 16 * 1024 * 1024;
const DISCARD_TIME = 5_000;
/** Time after its deadline from which on a handler is reported that has not returned, in milliseconds. */
const STUCK_TIME = 10_000;

/** Answers one request. Never throws. */
export async function answerCall(parts: CallParts, request: ServerRequest, reply: ServerReply): Promise<void> {
  // Not by `URL`, which would resolve `..` in the name of a cluster.
  const [path = '', query = ''] = (request.url ?? '/').split('?', 2);
  const target = splitClusterPath(path);
  const endpoint = target && parts.endpoints.get(target.path);
  if (!endpoint) {
    await respond(parts, request, reply, text(404, 'there is no webhook at this path'));
    return;
  }
  const { metrics, clock } = parts;
  const started = clock.now();
  metrics?.requestStarted(endpoint.path);
  const call = new WebhookCall(parts, endpoint, target.cluster, request);
  const answer = await call.answer(reply, new URLSearchParams(query).get('timeout'));
  metrics?.requestEnded(endpoint.path, { code: answer.status, duration: clock.now() - started });
  await respond(parts, request, reply, answer);
}

class WebhookCall {
  readonly #parts: CallParts;
  readonly #endpoint: Endpoint;
  readonly #cluster: ClusterName;
  readonly #request: ServerRequest;

  constructor(parts: CallParts, endpoint: Endpoint, cluster: ClusterName, request: ServerRequest) {
    this.#parts = parts;
    this.#endpoint = endpoint;
    this.#cluster = cluster;
    this.#request = request;
  }

  async answer(reply: ServerReply, timeout: string | null): Promise<Answer | ReviewAnswer> {
    const { clock, closing } = this.#parts;
    const ended = new AbortController();
    const onClose = (): void => ended.abort(new DOMException('the caller has disconnected', 'AbortError'));
    const onClosing = (): void => ended.abort(closing.reason);
    try {
      const time = reviewTimeout(timeout, this.#parts.timeout);
      const timer = clock.schedule(time, () => ended.abort(new DeadlineError('the deadline of the review has passed')));
      reply.once('close', onClose);
      closing.addEventListener('abort', onClosing, { once: true });
      try {
        return await this.#process(ended);
      } finally {
        timer.cancel();
        reply.off('close', onClose);
        closing.removeEventListener('abort', onClosing);
      }
    } catch (error) {
      return this.#failure(error, ended.signal);
    }
  }

  async #process(ended: AbortController): Promise<Answer | ReviewAnswer> {
    const { signal } = ended;
    const { method, headers } = this.#request;
    if (method !== 'POST') return { ...text(405, 'send a POST request'), headers: { allow: 'POST' } };
    if (!/^application\/json\s*(?:;|$)/iu.test(headers['content-type'] ?? '')) {
      throw badRequest('the content type is not application/json');
    }
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw badRequest('the body has a content encoding: send it without one');
    }
    const { maxBody, path } = this.#endpoint;
    checkAnnouncedSize(this.#request, maxBody);
    const { limit, callerAuth } = this.#parts;
    const reservation = limit.take((reason) => ended.abort(reason));
    let work: Promise<string> | undefined;
    try {
      if (callerAuth) {
        const call = { cluster: this.#cluster, webhook: path, signal };
        await orAborted(authenticate(callerAuth, this.#request, call), signal);
      }
      const body = await readBody(this.#request, { limit: maxBody, signal, received: reservation.received });
      const review = await workInTurn(() => parse(body, maxBody));
      signal.throwIfAborted();
      const { webhook, answer } = this.#endpoint.read(review);
      reservation.process(webhook);
      work = this.#call(answer, signal);
      const response = Buffer.from(await orAborted(work, signal));
      const sending = new AbortController();
      reservation.respond(response.length, (reason) => sending.abort(reason));
      const { release } = reservation;
      return { status: 200, type: 'application/json', body: response, signal: sending.signal, release };
    } catch (error) {
      // A handler that ignores its signal keeps counting: otherwise their number would grow without limit.
      if (work && error instanceof DeadlineError) this.#watch(work);
      void Promise.resolve(work).then(reservation.release, reservation.release);
      throw error;
    }
  }

  async #call(answer: Review['answer'], signal: AbortSignal): Promise<string> {
    const { logger, clusterOf } = this.#parts;
    const cluster = await clusterOf(this.#cluster);
    const log = logger.child({ webhook: this.#endpoint.path, cluster: this.#cluster });
    return formatJson(await answer({ cluster, signal, log }));
  }

  /** Logs a handler that is still running a while after its deadline. */
  #watch(work: Promise<unknown>): void {
    const { clock, logger, refusals } = this.#parts;
    const fields = { webhook: this.#endpoint.path, cluster: this.#cluster };
    const timer = clock.schedule(STUCK_TIME, () =>
      refusals.log(logger, 'error', 'webhook handler ignores its signal, and takes room from other requests', fields),
    );
    const settled = (): void => timer.cancel();
    void work.then(settled, settled);
  }

  #failure(error: unknown, signal: AbortSignal): Answer {
    const { logger, refusals, metrics } = this.#parts;
    const { path: webhook } = this.#endpoint;
    const fields = { webhook, cluster: this.#cluster };
    if (error instanceof RefusedRequestError) {
      const { status, message: reason } = error;
      refusals.log(logger, 'warn', 'refused a request to a webhook', { ...fields, status, reason });
      const retry = status === 429 && { headers: { 'retry-after': String(RETRY_AFTER) } };
      return { ...text(status, reason), ...retry };
    }
    if (error instanceof DeadlineError) {
      refusals.log(logger, 'error', 'webhook did not answer before its deadline', fields);
      return text(504, error.message);
    }
    if (signal.aborted && error === signal.reason) return text(503, 'the call was aborted');
    metrics?.panicked(webhook);
    // The cause stays in the log: API servers show the response to the user.
    refusals.log(logger, 'error', 'webhook handler threw', { ...fields, error });
    return text(500, 'internal error');
  }
}

/**
 * Parses a body.
 *
 * @throws {RefusedRequestError} if it is not JSON, or takes too long to parse.
 */
function parse(body: string, maxBody: number): unknown {
  // A review has two objects or more: one for each 1.5 MiB, the largest object of etcd.
  const cost = OBJECT_LIMITS.cost * Math.max(2, Math.ceil(maxBody / (1.5 * 1024 * 1024)));
  try {
    return parseDocument(body, { ...OBJECT_LIMITS, cost });
  } catch (error) {
    if (error instanceof DocumentError) throw badRequest(`the body ${error.message}`);
    throw error;
  }
}

function text(status: number, body: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body: Buffer.from(`${body}\n`) };
}

/** Sends a response. Resolves when the caller has read it, or its time is up. */
async function respond(
  { clock, timeout }: CallParts,
  request: ServerRequest,
  reply: ServerReply,
  answer: Answer | ReviewAnswer,
): Promise<void> {
  const { status, type, body, headers } = answer;
  const late = new AbortController();
  const timer = clock.schedule(timeout, () => late.abort());
  try {
    // A response of HTTP/2 has no `destroyed`.
    if (('stream' in request ? request.stream : reply).destroyed) return;
    const isRead = request.readableEnded;
    // The rest of a body would be taken for the next request.
    const ends = !isRead && request.httpVersionMajor === 1;
    reply.statusCode = status;
    const all = {
      'content-type': type,
      'content-length': String(body.length),
      'x-content-type-options': 'nosniff',
      ...headers,
      ...(ends && { connection: 'close' }),
    };
    for (const [name, value] of Object.entries(all)) reply.setHeader(name, value);
    if (!isRead) discard(clock, request);
    const signal = 'signal' in answer ? AbortSignal.any([late.signal, answer.signal]) : late.signal;
    await sendBody(body, { request, reply, signal });
  } finally {
    timer.cancel();
    if ('release' in answer) answer.release();
  }
}

/** Reads the rest of a body for a while, so that the client reads the response before its connection breaks. */
function discard(clock: Clock, request: ServerRequest): void {
  let left = DISCARDED_BYTES;
  const timer = clock.schedule(DISCARD_TIME, () => request.destroy());
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  request.once('close', () => timer.cancel());
  request.resume();
}
