import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { RequestAdmission } from '../admission/admission.ts';
import type { EncodedResponse } from '../representation/encoded-response.ts';
import { responseOf } from '../representation/encoded-response.ts';
import { JSON_TYPE, prefersYaml } from '../representation/media-type.ts';
import { indentJson } from '../representation/indented-json.ts';
import { readJson } from '../representation/json-reader.ts';
import { yamlParts } from '../representation/yaml-text.ts';
import type { StatusError } from '../status.ts';
import type { Paused } from '../turn.ts';
import { complete, inTurns, Turn } from '../turn.ts';
import { coalesce } from './chunks.ts';
import type { RequestMessage, ResponseMessage } from './message.ts';
import { ReceivedRequest } from './received-request.ts';
import { Warnings } from './warnings.ts';

/** Minimum size of a compressed response in bytes, as in kube-apiserver. */
const GZIP_FROM = 128 * 1024;

/** Minimum size of a body whose conversion pauses, in bytes. */
const CONVERT_LATER_FROM = 16 * 1024;

/** Largest code that HTTP/2 of Node.js sends. A webhook can choose larger ones, which are in the body. */
const LARGEST_HTTP2_CODE = 599;

/** A request and its response, over HTTP/1.1 or HTTP/2, or within the process. */
export class Exchange extends ReceivedRequest {
  /** Returns the webhooks and policies that a write of this request is subject to. Default: there are none. */
  admission: RequestAdmission | undefined;
  /** Checks that the user may create the object of an update. Default: the user may. @throws {StatusError} 403 */
  authorizeCreation: (() => void) | undefined;
  /** Reports whether the user may approve requests for certificates of a signer. Default: the user may. */
  mayApprove: ((signer: string) => boolean) | undefined;
  /** There are several response types, whose overloads TypeScript cannot unify. This class uses only what all have. */
  readonly #response: ServerResponse;
  readonly #warnings = new Warnings();
  readonly #isHttp1: boolean;

  constructor(request: RequestMessage, response: ResponseMessage) {
    super(request);
    this.#response = response as unknown as ServerResponse;
    this.#isHttp1 = 'httpVersionMajor' in request && request.httpVersionMajor === 1;
  }

  /** Reads the body. After one that is too large, an HTTP/1.1 connection ends: its rest is not read. @throws {StatusError} 413 */
  override async bytes(): Promise<Buffer> {
    try {
      return await super.bytes();
    } catch (error) {
      if (this.#isHttp1) this.#response.setHeader('connection', 'close');
      throw error;
    }
  }

  /** Adds a warning header to the response (RFC 7234, 5.5). */
  warn(text: string): void {
    this.#warnings.add(text);
  }

  /** Sends an object that is not stored, in the format that the client prefers, or in the given one. */
  send(code: number, value: object, mediaType?: string): void {
    if (mediaType === undefined) this.sendEncoded(code, responseOf(this.header('accept'), value));
    else this.sendBytes(code, Buffer.from(JSON.stringify(value)), mediaType);
  }

  /** Sends a document that is JSON whatever the client prefers. */
  sendJson(code: number, value: object, contentType = JSON_TYPE): void {
    this.#finish(code, Buffer.from(JSON.stringify(value)), contentType);
  }

  /** Lets caches keep the response. @param age in seconds. */
  cacheFor(age: number): void {
    this.#response.setHeader('cache-control', `public, max-age=${age}`);
  }

  sendEncoded(code: number, { body, contentType, vary, cacheControl }: EncodedResponse): void {
    if (cacheControl !== undefined) this.#response.setHeader('cache-control', cacheControl);
    if (vary !== undefined) this.#response.setHeader('vary', vary);
    this.sendBytes(code, body, contentType);
  }

  /**
   * Sends a body. JSON is converted to YAML, or indented, if the client asks for it: a large one in turns, after this
   * method has returned.
   */
  sendBytes(code: number, body: Buffer, contentType = JSON_TYPE): void {
    const converted = contentType === JSON_TYPE ? this.#converted([body]) : undefined;
    if (!converted) this.#finish(code, body, contentType);
    else if (body.length < CONVERT_LATER_FROM) {
      this.#finish(code, Buffer.concat(complete(converted.work)), converted.contentType);
    } else {
      // A response that cannot be sent ends only its request.
      this.#sendConverted(code, converted).catch(() => this.#response.destroy());
    }
  }

  /** Returns the work that converts a body of JSON, if the client asks for another format. */
  #converted(parts: Iterable<Buffer>): Conversion | undefined {
    if (prefersYaml(this.header('accept'))) return { work: yamlOf(parts), contentType: 'application/yaml' };
    return this.#isPretty ? { work: indentJson(parts), contentType: JSON_TYPE } : undefined;
  }

  async #sendConverted(code: number, { work, contentType }: Conversion): Promise<void> {
    const parts = await inTurns(work);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    this.#head(code, { 'content-type': contentType, 'content-length': String(length) });
    await pipeline(Readable.from(withPauses(coalesce(parts))), this.#response).catch(ignoreClientGone);
  }

  #finish(code: number, body: Buffer, contentType: string): void {
    this.#head(code, { 'content-type': contentType, 'content-length': String(body.length) });
    this.#response.end(body);
  }

  /** Browsers and command line tools get indented JSON, unless the query says otherwise. */
  get #isPretty(): boolean {
    const wanted = this.query.get('pretty');
    if (wanted) return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(wanted);
    return /^(?:curl|Wget|Mozilla\/5\.0)/.test(this.header('user-agent') ?? '');
  }

  sendText(code: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
    for (const [name, value] of Object.entries(headers)) this.#response.setHeader(name, value);
    this.#response.setHeader('x-content-type-options', 'nosniff');
    this.sendBytes(code, Buffer.from(text), 'text/plain; charset=utf-8');
  }

  sendError(error: StatusError): void {
    if (this.#response.headersSent || this.#response.destroyed) {
      this.#response.destroy();
      return;
    }
    const wait = error.details?.retryAfterSeconds;
    if (wait !== undefined && wait > 0) this.#response.setHeader('retry-after', String(wait));
    this.send(error.code, error.toStatus());
  }

  /**
   * Sends a response that may be too large for one buffer: in chunks, with back pressure, compressed if the client
   * accepts it.
   */
  async sendParts(code: number, parts: Iterable<Buffer>, contentType: string): Promise<void> {
    const converted = contentType === JSON_TYPE ? this.#converted(parts) : undefined;
    if (converted) return this.#sendConverted(code, converted);
    const chunks = coalesce(parts);
    const first = chunks.next();
    const head = first.done ? Buffer.alloc(0) : first.value;
    if (head.length < GZIP_FROM) {
      // The first chunk is this small only if it is also the last.
      this.sendBytes(code, head, contentType);
      return;
    }
    const body = Readable.from(withPauses(startingWith(head, chunks)));
    const compressed = /\bgzip\b/.test(this.header('accept-encoding') ?? '');
    this.#head(code, { 'content-type': contentType, ...(compressed && { 'content-encoding': 'gzip' }) });
    await (
      compressed ? pipeline(body, createGzip({ level: 1 }), this.#response) : pipeline(body, this.#response)
    ).catch(ignoreClientGone);
  }

  /** Sends the head of a response without a fixed end, and returns the stream for its body. */
  stream(code: number, contentType?: string): ServerResponse {
    this.#head(code, contentType === undefined ? {} : { 'content-type': contentType });
    this.#response.flushHeaders();
    return this.#response;
  }

  #head(code: number, headers: Readonly<Record<string, string>>): void {
    const warnings = this.#warnings.headers();
    if (warnings.length > 0) this.#response.setHeader('warning', warnings);
    if (!this.#response.hasHeader('cache-control')) this.#response.setHeader('cache-control', 'no-cache, private');
    this.#response.writeHead(this.#isHttp1 ? code : Math.min(code, LARGEST_HTTP2_CODE), headers);
  }
}

interface Conversion {
  readonly work: Paused<Buffer[]>;
  readonly contentType: string;
}

function* yamlOf(json: Iterable<Buffer>): Paused<Buffer[]> {
  return yield* yamlParts(yield* readJson(json));
}

/** Yields all chunks of a response, with pauses in which other requests are served. */
async function* withPauses(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  const turn = new Turn();
  for (const chunk of chunks) {
    yield chunk;
    if (turn.isOver) await turn.next();
  }
}

/** Yields a chunk before others. */
function* startingWith(first: Buffer, others: Iterable<Buffer>): Generator<Buffer> {
  yield first;
  yield* others;
}

/** A client may close its connection during a response. */
function ignoreClientGone(): void {}
