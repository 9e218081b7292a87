import { constants } from 'node:http2';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestMatch } from './fault-rule.ts';
import type { ByteFault, ParsedRequestFault } from './fault.ts';
import { pieces } from './pieces.ts';
import type { ActiveFault, Subject } from './rulebook.ts';
import { statusOf } from './status.ts';
import type { Answer, Question, Upstream } from './upstream.ts';
import { StreamResetError } from './upstream.ts';
import { watchLines } from './watch-lines.ts';

/** Earlier responses, for the fault `stale`. */
export interface Memory {
  /** Returns the response to the same request `ago` responses back, or the oldest that is kept. */
  recall(path: string, ago: number): CompleteAnswer | undefined;
  remember(path: string, answer: CompleteAnswer): void;
}

/** A response with its complete body. */
export interface CompleteAnswer extends Pick<Answer, 'status' | 'headers'> {
  readonly body: Buffer;
}

const OF_BYTES: ReadonlySet<string> = new Set(['throttle', 'split', 'corrupt', 'truncate', 'reset', 'drop']);
/** Faults that cannot apply to a request that has already been forwarded. */
const TOO_LATE: ReadonlySet<string> = new Set(['pass', 'answer', 'stale']);
/** Faults that can then apply only to a watch. */
const OF_EVENTS: ReadonlySet<string> = new Set(['delay', 'repeat']);

/** A client's request that is forwarded to the server, and its response. */
export class RelayedRequest implements Subject<ParsedRequestFault, RequestMatch> {
  readonly #request: IncomingMessage | Http2ServerRequest;
  /** Node has two response types, whose overloads TypeScript cannot unify. This class uses only what both have. */
  readonly #response: ServerResponse;
  readonly #isWatch: boolean;
  readonly #end = new AbortController();
  readonly #activeFaults: ActiveFault<ParsedRequestFault>[] = [];
  #isPassedOn = false;

  constructor(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) {
    this.#request = request;
    this.#response = response as ServerResponse;
    this.#isWatch = /[?&]watch=(true|1)/.test(this.#path);
    response.on('error', () => undefined);
    response.once('close', () => this.#end.abort());
  }

  get #path(): string {
    return this.#request.url ?? '/';
  }

  matches({ method, path, watch }: RequestMatch): boolean {
    return (
      (method === undefined || method === this.#request.method) &&
      (watch === undefined || watch === this.#isWatch) &&
      (path === undefined || (typeof path === 'string' ? this.#path.includes(path) : path.test(this.#path)))
    );
  }

  apply(activeFault: ActiveFault<ParsedRequestFault>): 'applied' | undefined {
    const { fault } = activeFault;
    const ofRequest = TOO_LATE.has(fault.type) || ('part' in fault && fault.part === 'request');
    const ofWatch = fault.type === 'swallow' || fault.type === 'error-event';
    if (fault.type === 'stale' && this.#request.method !== 'GET') return undefined;
    const tooLate = ofRequest || (OF_EVENTS.has(fault.type) && !this.#isWatch);
    if ((this.#isPassedOn && tooLate) || (ofWatch && !this.#isWatch)) return undefined;
    this.#activeFaults.push(activeFault);
    // Applies at once: no further data may ever arrive.
    if (this.#isPassedOn && fault.type === 'reset' && fault.after === 0) this.reset(constants.NGHTTP2_INTERNAL_ERROR);
    return 'applied';
  }

  /** Resolves when the client has its response, or will never get one. */
  async run(upstream: Upstream, memory: Memory): Promise<void> {
    try {
      const body = await readAll(this.#request);
      const instead = await this.#insteadOfServer(memory);
      if (instead === 'silence') return;
      if (instead) this.#send(instead);
      else await this.#respond(await this.#ask(upstream, body), memory);
    } catch (error) {
      this.reset(error instanceof StreamResetError ? error.code : constants.NGHTTP2_INTERNAL_ERROR);
    }
  }

  /** @param code HTTP/2 error code. Over HTTP/1.1 the connection is closed. */
  reset(code: number): void {
    this.#end.abort();
    if ('stream' in this.#request) this.#request.stream.close(code);
    else this.#request.socket.destroy();
  }

  /** Returns a response that replaces the server's, or `undefined` to forward the request. */
  async #insteadOfServer(memory: Memory): Promise<CompleteAnswer | 'silence' | undefined> {
    const answer = this.#first('answer');
    if (answer) return refusal(answer);
    await this.#delay();
    if (this.#end.signal.aborted || this.#isLost('drop', 'request')) return 'silence';
    if (this.#isLost('reset', 'request')) throw new StreamResetError(constants.NGHTTP2_INTERNAL_ERROR);
    const stale = this.#first('stale');
    return stale && memory.recall(this.#path, stale.ago);
  }

  async #ask(upstream: Upstream, body: Buffer): Promise<Answer> {
    this.#isPassedOn = true;
    const question: Question = {
      method: this.#request.method ?? 'GET',
      path: this.#path,
      headers: this.#headers,
      body,
    };
    if (!this.#isWatch && this.#first('repeat')) await readAll(bodyOf(await upstream.ask(question)));
    return upstream.ask(question);
  }

  async #respond(answer: Answer, memory: Memory): Promise<void> {
    const cancel = (): void => answer.cancel();
    const { signal } = this.#end;
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    if (this.#first('stale')) {
      const { status, headers } = answer;
      const known = { status, headers, body: await readAll(bodyOf(answer)) };
      memory.remember(this.#path, known);
      this.#send(known);
      return;
    }
    if (this.#isLost('drop', 'response')) {
      await readAll(bodyOf(answer));
      return;
    }
    if (this.#first('reset')?.after === 0) throw new StreamResetError(constants.NGHTTP2_INTERNAL_ERROR);
    // A fault may change the length of the body.
    const { 'content-length': _, ...headers } = answer.headers;
    this.#response.writeHead(answer.status, headers);
    this.#response.flushHeaders();
    const body = bodyOf(answer);
    const lines = this.#isWatch ? watchLines(body, { activeFaults: () => this.#active(), signal }) : body;
    for await (const piece of pieces(lines, { activeFaults: () => this.#active().filter(isOfBytes), signal })) {
      await this.#write(piece);
    }
    signal.removeEventListener('abort', cancel);
    if (!this.#isLost('drop', 'response')) this.#response.end();
  }

  /** Requests an uncompressed body, because faults change bytes of JSON. */
  get #headers(): Question['headers'] {
    const { 'accept-encoding': encoding, ...headers } = this.#request.headers;
    return encoding === undefined || this.#active().some(isOfBytes)
      ? headers
      : { ...headers, 'accept-encoding': encoding };
  }

  #send({ status, headers, body }: CompleteAnswer): void {
    this.#isPassedOn = true;
    this.#response.writeHead(status, headers);
    this.#response.end(body);
  }

  async #delay(): Promise<void> {
    for (const { fault, over } of this.#active()) {
      if (fault.type !== 'delay') continue;
      const signal = AbortSignal.any([over, this.#end.signal]);
      await sleep(fault.duration, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** A dropped part of a response stays lost: forwarding the rest would corrupt the response. */
  #active(): ActiveFault<ParsedRequestFault>[] {
    return this.#activeFaults.filter(({ fault, over }) => fault.type === 'drop' || !over.aborted);
  }

  #first<T extends ParsedRequestFault['type']>(type: T): Extract<ParsedRequestFault, { type: T }> | undefined {
    const is = (fault: ParsedRequestFault): fault is Extract<ParsedRequestFault, { type: T }> => fault.type === type;
    return this.#active()
      .map(({ fault }) => fault)
      .find(is);
  }

  #isLost(type: 'drop' | 'reset', part: 'request' | 'response'): boolean {
    return this.#active().some(({ fault }) => fault.type === type && fault.part === part);
  }

  #write(piece: Uint8Array): Promise<void> {
    if (piece.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const { signal } = this.#end;
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      this.#response.write(piece, (error) => {
        signal.removeEventListener('abort', onAbort);
        if (error) reject(error);
        else resolve();
      });
    });
  }
}

function refusal(fault: Extract<ParsedRequestFault, { type: 'answer' }>): CompleteAnswer {
  const { status, retryAfter } = fault;
  const headers = {
    'content-type': 'application/json',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  };
  return { status, headers, body: Buffer.from(JSON.stringify(statusOf(fault))) };
}

function isOfBytes(
  activeFault: ActiveFault<ParsedRequestFault>,
): activeFault is ActiveFault<ParsedRequestFault & ByteFault> {
  return OF_BYTES.has(activeFault.fault.type);
}

/** @throws {StreamResetError} if the body ends before it is complete. */
async function* bodyOf(answer: Answer): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of answer.body) yield chunk as Uint8Array;
  if (answer.resetCode() !== 0 || !answer.body.readableEnded) {
    throw new StreamResetError(answer.resetCode() || constants.NGHTTP2_INTERNAL_ERROR);
  }
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
