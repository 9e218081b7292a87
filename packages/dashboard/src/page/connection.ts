import type { StreamEvent } from './event-stream.ts';
import { EventStream } from './event-stream.ts';

/** State of the connection to the server. */
export type ConnectionState =
  | { readonly type: 'connecting' }
  | { readonly type: 'live' }
  /** @property retryAt time of the next try. */
  | { readonly type: 'waiting'; readonly problem: string; readonly retryAt: number }
  /** @property problem absent before the first token. */
  | { readonly type: 'refused'; readonly problem?: string };

export interface ConnectionOptions {
  readonly onEvent: (event: StreamEvent) => void;
  readonly onState: (state: ConnectionState) => void;
}

/** Delays between tries, in milliseconds. */
const FIRST_DELAY = 500;
const LONGEST_DELAY = 30_000;
/** The server sends something every two seconds. Without anything for this time, the connection is lost, in milliseconds. */
const SILENCE = 10_000;

/**
 * Reads the event stream by `fetch`, because an `EventSource` cannot send a token. Connects again with backoff. The token is
 * only in a field of this object.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #token: string | undefined;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Uses a token from now on. */
  authorize(token: string): void {
    this.#token = token;
    this.connect();
  }

  /** Connects at once. */
  connect(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    void this.#run();
  }

  /** Sends a request for data. @throws {TypeError} if there is no answer. */
  async request(path: string, signal: AbortSignal): Promise<Response> {
    const headers: HeadersInit = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    return fetch(`dashboard/${path}`, { headers, signal, cache: 'no-store' });
  }

  async #run(): Promise<void> {
    const { onState } = this.#options;
    const watchdog = new Watchdog();
    if (this.#failures === 0) onState({ type: 'connecting' });
    let problem: string | undefined;
    try {
      problem = await this.#follow(watchdog);
    } catch {
      problem = watchdog.signal.aborted ? 'the manager has stopped answering' : 'the manager cannot be reached';
    } finally {
      watchdog.stop();
    }
    if (problem === undefined) return;
    const delay = Math.min(FIRST_DELAY * 2 ** this.#failures, LONGEST_DELAY) * (0.75 + Math.random() / 2);
    this.#failures += 1;
    onState({ type: 'waiting', problem, retryAt: Date.now() + delay });
    this.#retry = setTimeout(() => this.connect(), delay);
  }

  /** Reads the events until the stream ends. @returns why it ended, or `undefined` if another token is needed. */
  async #follow(watchdog: Watchdog): Promise<string | undefined> {
    const response = await this.request('events', watchdog.signal);
    const { status, body } = response;
    if (response.ok && body) {
      await this.#read(body, watchdog);
      return 'the manager ended the connection';
    }
    const { error } = await errorIn(response);
    if (status !== 401 && status !== 403) return error ?? `the manager answers with status ${status}`;
    const refusal =
      status === 401
        ? 'the hub does not accept this token'
        : 'the user of this token may not get the nonResourceURL /dashboard/events';
    const isFirst = status === 401 && this.#token === undefined;
    this.#options.onState({ type: 'refused', ...(!isFirst && { problem: error ?? refusal }) });
    this.#token = undefined;
    return undefined;
  }

  async #read(body: ReadableStream<Uint8Array>, watchdog: Watchdog): Promise<void> {
    const [reader, decoder, events] = [body.getReader(), new TextDecoder(), new EventStream()];
    for (let isFirst = true; ; isFirst = false) {
      const { done, value } = await reader.read();
      if (done) return;
      watchdog.reset();
      this.#failures = 0;
      if (isFirst) this.#options.onState({ type: 'live' });
      for (const event of events.push(decoder.decode(value, { stream: true }))) this.#options.onEvent(event);
    }
  }
}

/** Aborts if it is not reset in time. */
class Watchdog {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.reset();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), SILENCE);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}

async function errorIn(response: Response): Promise<{ readonly error?: string }> {
  if (response.headers.get('content-type') !== 'application/json') return {};
  return (await response.json()) as { readonly error?: string };
}
