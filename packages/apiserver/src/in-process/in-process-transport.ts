import type { Timer, Transport, TransportRequest, TransportResponse } from '@mcr/client';
import { systemClock, TransportError } from '@mcr/client';
import { InProcessRequest, InProcessResponse } from '../http/in-process-message.ts';
import type { RequestMessage, ResponseMessage } from '../http/message.ts';

/** Name in errors, in place of the host of an API server. */
const HOST = 'in-process';

/** Deadline of a request that has none, in milliseconds, as that of a client's configuration. */
const REQUEST_TIMEOUT = 30_000;

export interface InProcessTransportOptions {
  readonly serve: (request: RequestMessage, response: ResponseMessage) => void;
  /** Headers of every request, unless it sets them itself. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends requests to a server in the same process, without a connection. */
export class InProcessTransport implements Transport {
  readonly #options: InProcessTransportOptions;
  readonly #open = new Set<InProcessResponse>();
  #isClosed = false;

  constructor(options: InProcessTransportOptions) {
    this.#options = options;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, headers, body, signal, beforeSend, streaming = false } = request;
    if (this.#isClosed) throw new TransportError('closed', HOST, 'the server was closed', { unprocessed: true });
    signal?.throwIfAborted();
    beforeSend?.();
    const response = new InProcessResponse();
    const end = this.#limit(request, response);
    this.#options.serve(new InProcessRequest(method, path, { ...this.#options.headers, ...headers }, body), response);
    await response.head;
    const { whole } = response;
    if (whole) {
      end.release();
      return new InProcessAnswer(response, bodyOf(whole));
    }
    if (!response.headersSent) throw end.failure();
    if (streaming) end.timer.cancel();
    return new InProcessAnswer(response, chunksOf(response, end));
  }

  async rotate(): Promise<void> {
    // The server knows the caller.
  }

  onCredentials(): () => void {
    return () => undefined;
  }

  async ping(): Promise<'answered'> {
    return 'answered';
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const response of [...this.#open]) response.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Ends the response at the deadline, or when the signal aborts. */
  #limit({ signal, timeout = REQUEST_TIMEOUT }: TransportRequest, response: InProcessResponse): End {
    let isLate = false;
    const onAbort = (): void => void response.destroy();
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer = systemClock.schedule(timeout, () => {
      isLate = true;
      response.destroy();
    });
    const release = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', onAbort);
      this.#open.delete(response);
    };
    this.#open.add(response);
    response.once('close', release);
    return {
      timer,
      release,
      failure(cause) {
        signal?.throwIfAborted();
        return isLate
          ? new TransportError('deadline', HOST, `the deadline of ${timeout} ms passed`)
          : new TransportError('reset', HOST, 'the server ended the response early', { cause });
      },
    };
  }
}

/** Ends a response early. */
interface End {
  readonly timer: Timer;
  readonly release: () => void;
  /** Returns the reason of a response that ended early. @throws the reason of the signal, if that has aborted. */
  failure(cause?: unknown): TransportError;
}

class InProcessAnswer implements TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly #response: InProcessResponse;

  constructor(response: InProcessResponse, body: AsyncIterable<Uint8Array>) {
    this.status = response.statusCode;
    this.headers = response.headers;
    this.body = body;
    this.#response = response;
  }

  async bytes(): Promise<Uint8Array> {
    const { whole } = this.#response;
    if (whole) return whole;
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.body) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  withoutCredentials<T>(part: T): T {
    return part;
  }

  cancel(): void {
    this.#response.destroy();
  }
}

async function* bodyOf(whole: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield whole;
}

async function* chunksOf(response: InProcessResponse, end: End): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) yield chunk;
  } catch (cause) {
    throw end.failure(cause);
  }
}
