import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import { createGzip } from 'node:zlib';
import type { ClientSubject, Credentials } from '../access/access.ts';
import { decodeProtobuf, PROTOBUF } from '../protobuf/decode.ts';
import { badRequest, requestTooLarge, unsupportedMediaType } from '../status.ts';
import type { StatusError } from '../status.ts';
import { coalesce } from './chunks.ts';

/** Maximum size of a request body in bytes, as in kube-apiserver. */
const BODY_LIMIT = 3 * 1024 * 1024;

/** Minimum size of a compressed response in bytes, as in kube-apiserver. */
const GZIP_FROM = 128 * 1024;

/** A request and its response, over HTTP/1.1 or HTTP/2. */
export class Exchange implements Credentials {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly #request: IncomingMessage | Http2ServerRequest;
  /** Node has two response types, whose overloads TypeScript cannot unify. This class uses only what both have. */
  readonly #response: ServerResponse;
  readonly #warnings: string[] = [];
  #text = '';

  constructor(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) {
    this.#request = request;
    this.#response = response as ServerResponse;
    const url = request.url ?? '/';
    const question = url.indexOf('?');
    this.method = request.method ?? 'GET';
    this.path = question < 0 ? url : url.slice(0, question);
    this.query = new URLSearchParams(question < 0 ? '' : url.slice(question + 1));
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(',') : value;
  }

  /**
   * Returns the headers whose name starts with `prefix`, in lower case. A repeated header is contained once per value.
   */
  headersWith(prefix: string): [name: string, value: string][] {
    const { rawHeaders } = this.#request;
    const found: [string, string][] = [];
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]?.toLowerCase() ?? '';
      if (name.startsWith(prefix)) found.push([name, rawHeaders[index + 1] ?? '']);
    }
    return found;
  }

  /** Subject of the client's certificate, if this server's authority has signed it. */
  get clientSubject(): ClientSubject | undefined {
    const socket = this.#request.socket as TLSSocket;
    if (!socket.authorized) return undefined;
    const { CN = '', O: organizations = [], OU: unit = '' } = socket.getPeerCertificate().subject;
    return { commonName: first(CN), organizations: [organizations].flat(), unit: first(unit) };
  }

  /** Media type of the body, without parameters. */
  get contentType(): string {
    return (this.header('content-type') ?? '').split(';', 1).join('').trim().toLowerCase();
  }

  /** Text of a JSON body that was read. */
  get text(): string {
    return this.#text;
  }

  /** Returns the body as plain data, or `undefined` if it is empty. @throws {StatusError} 400, 413 or 415 */
  async body(): Promise<unknown> {
    const { contentType } = this;
    const isJson = contentType === '' || contentType === 'application/json' || contentType.endsWith('+json');
    const isYaml = contentType.endsWith('+yaml');
    if (!isJson && !isYaml && contentType !== PROTOBUF) throw unsupportedMediaType(['application/json']);
    const bytes = await this.bytes();
    if (bytes.length === 0) return undefined;
    if (contentType === PROTOBUF) return decodeProtobuf(bytes);
    try {
      this.#text = isYaml ? await jsonOf(bytes.toString()) : bytes.toString();
      return JSON.parse(this.#text) as unknown;
    } catch (error) {
      throw badRequest(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : ''}`);
    }
  }

  /** Reads the body. @throws {StatusError} 413 */
  async bytes(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.#request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > BODY_LIMIT) throw requestTooLarge(BODY_LIMIT);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** Adds a warning header to the response (RFC 7234, 5.5). */
  warn(text: string): void {
    this.#warnings.push(`299 - ${JSON.stringify(text)}`);
  }

  send(code: number, value: unknown): void {
    this.sendBytes(code, Buffer.from(JSON.stringify(value)));
  }

  sendBytes(code: number, body: Buffer, contentType = 'application/json'): void {
    this.#head(code, { 'content-type': contentType, 'content-length': String(body.length) });
    this.#response.end(body);
  }

  sendText(code: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
    for (const [name, value] of Object.entries(headers)) this.#response.setHeader(name, value);
    this.sendBytes(code, Buffer.from(text), 'text/plain; charset=utf-8');
  }

  sendError(error: StatusError): void {
    if (this.#response.headersSent || this.#response.destroyed) {
      this.#response.destroy();
      return;
    }
    const wait = error.details?.retryAfterSeconds;
    if (wait !== undefined) this.#response.setHeader('retry-after', String(wait));
    this.send(error.code, error.toStatus());
  }

  /**
   * Sends a response that may be too large for one buffer: in chunks, with back pressure, compressed if the client
   * accepts it.
   */
  async sendParts(code: number, parts: Iterable<Buffer>): Promise<void> {
    const chunks = coalesce(parts);
    const first = chunks.next();
    const head = first.done ? Buffer.alloc(0) : first.value;
    if (head.length < GZIP_FROM) {
      // The first chunk is this small only if it is also the last.
      this.sendBytes(code, head);
      return;
    }
    const body = Readable.from(prepend(head, chunks));
    const compressed = /\bgzip\b/.test(this.header('accept-encoding') ?? '');
    this.#head(code, { 'content-type': 'application/json', ...(compressed && { 'content-encoding': 'gzip' }) });
    await (
      compressed ? pipeline(body, createGzip({ level: 1 }), this.#response) : pipeline(body, this.#response)
    ).catch(ignoreClientGone);
  }

  /** Sends the head of a response without a fixed end, and returns the stream for its body. */
  stream(code: number): ServerResponse {
    this.#head(code, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    this.#response.flushHeaders();
    return this.#response;
  }

  #head(code: number, headers: Readonly<Record<string, string>>): void {
    if (this.#warnings.length > 0) this.#response.setHeader('warning', this.#warnings);
    this.#response.writeHead(code, headers);
  }
}

/** Converts YAML to JSON. Returns JSON unchanged, because clients mostly send it as an apply patch. */
async function jsonOf(text: string): Promise<string> {
  if (text.trimStart().startsWith('{')) return text;
  const { parse } = await import('yaml');
  return JSON.stringify(parse(text, { maxAliasCount: 100 }));
}

function first(value: string | string[]): string {
  return [value].flat()[0] ?? '';
}

function* prepend<T>(first: T, others: Iterable<T>): Generator<T> {
  yield first;
  yield* others;
}

/** A client may close its connection during a response. */
function ignoreClientGone(): void {}
