import { PassThrough } from 'node:stream';

/** The parts of a request that the server reads. */
export class InProcessRequest {
  readonly method: string;
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** There is no client certificate. */
  readonly socket = { authorized: false };
  readonly #body: string | undefined;

  constructor(method: string, url: string, headers: Readonly<Record<string, string>>, body: string | undefined) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.#body = body;
  }

  get rawHeaders(): string[] {
    return Object.entries(this.headers).flat();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    if (this.#body !== undefined && this.#body !== '') yield Buffer.from(this.#body);
  }
}

/**
 * A response that its receiver reads from memory: as a whole if it was sent as a whole, otherwise from this stream, with
 * back pressure.
 */
export class InProcessResponse extends PassThrough {
  statusCode = 0;
  /** The whole body. `undefined`: read the stream. */
  whole: Buffer | undefined;
  readonly #headers = new Map<string, string>();
  readonly #head = Promise.withResolvers<void>();
  #headersSent = false;

  constructor() {
    super();
    // A response that is destroyed before its head is lost.
    this.once('close', () => this.#head.resolve());
  }

  /** Resolves when the status and the headers are known, or the response is destroyed. */
  get head(): Promise<void> {
    return this.#head.promise;
  }

  get headersSent(): boolean {
    return this.#headersSent;
  }

  get headers(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#headers);
  }

  setHeader(name: string, value: string | readonly string[]): void {
    this.#headers.set(name.toLowerCase(), typeof value === 'string' ? value : value.join(', '));
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }

  writeHead(code: number, headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    this.statusCode = code;
    this.#headersSent = true;
    this.#head.resolve();
  }

  /** The receiver has the headers already. */
  flushHeaders(): void {}

  /** Keeps a body that is sent at once out of the stream, which would cost more than most requests. */
  override end(body?: unknown): this {
    if (!Buffer.isBuffer(body)) return super.end();
    this.whole = body;
    return this;
  }
}
