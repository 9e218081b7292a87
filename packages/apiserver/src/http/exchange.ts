import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import { createGzip } from 'node:zlib';
import type { RequestAdmission } from '../admission/admission.ts';
import type { ClientSubject, Credentials } from '../access/access.ts';
import { codec, loadCodec, PROTOBUF } from '../protobuf/codec.ts';
import type { Kind } from '../protobuf/envelope.ts';
import type { EncodedResponse } from '../representation/encoded-response.ts';
import { responseOf } from '../representation/encoded-response.ts';
import { JSON_TYPE, prefersYaml } from '../representation/media-type.ts';
import { yamlText } from '../representation/yaml-text.ts';
import { badRequest, requestTooLarge, unsupportedMediaType } from '../status.ts';
import type { StatusError } from '../status.ts';
import { Turn } from '../turn.ts';
import { coalesce } from './chunks.ts';
import type { RequestMessage, ResponseMessage } from './message.ts';
import { identified, parseJson, UnreadableBody, unrecognized, withKind } from './readable-body.ts';
import { Warnings } from './warnings.ts';
import { parseYaml, YamlError } from './yaml.ts';

/** Maximum size of a request body in bytes, as in kube-apiserver. */
const BODY_LIMIT = 3 * 1024 * 1024;

/** Minimum size of a compressed response in bytes, as in kube-apiserver. */
const GZIP_FROM = 128 * 1024;

/** Kind of the object in a body. */
export interface ExpectedBody extends Kind {
  /** Whether the body may leave out kind and version. Default: false. */
  readonly builtIn?: boolean;
  /** Whether the request does not validate fields. The error of a missing kind then differs. Default: false. */
  readonly isLenient?: boolean;
}

/** A request and its response, over HTTP/1.1 or HTTP/2, or within the process. */
export class Exchange implements Credentials {
  readonly method: string;
  /** Decoded, so that an encoded slash separates segments, as in Go. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Returns the webhooks and policies that a write of this request is subject to. Default: there are none. */
  admission: RequestAdmission | undefined;
  readonly #request: RequestMessage;
  /** There are several response types, whose overloads TypeScript cannot unify. This class uses only what all have. */
  readonly #response: ServerResponse;
  readonly #warnings = new Warnings();
  #text = '';
  #duplicateKeys: readonly string[] = [];

  constructor(request: RequestMessage, response: ResponseMessage) {
    this.#request = request;
    this.#response = response as unknown as ServerResponse;
    const url = request.url ?? '/';
    const question = url.indexOf('?');
    this.method = request.method ?? 'GET';
    this.path = decodePath(question < 0 ? url : url.slice(0, question));
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

  /** Checks that the body has a media type of an object. @throws {StatusError} 415 */
  requireObjectType(): void {
    const header = this.header('content-type') ?? '';
    const isMalformed = /^\s*;|;\s*[^=;\s]+\s*(?:;|$)/.test(header);
    if (isMalformed || !['', JSON_TYPE, 'application/yaml', PROTOBUF].includes(this.contentType))
      throw unsupportedMediaType([JSON_TYPE, 'application/yaml', PROTOBUF]);
  }

  /** Text of a JSON body that was read. */
  get text(): string {
    return this.#text;
  }

  /** Duplicate keys of a YAML body that was read. */
  get duplicateKeys(): readonly string[] {
    return this.#duplicateKeys;
  }

  /** Loads what the media types of the request need. Must be called before the request is served. */
  async loadCodecs(): Promise<void> {
    if (this.contentType === PROTOBUF || this.header('accept')?.includes('protobuf')) await loadCodec();
  }

  /**
   * Returns the body as plain data, or `undefined` if it is empty.
   *
   * @param expected kind that the body must have. A body in protobuf cannot be empty then.
   * @throws {StatusError} 400, 413 or 415
   */
  async body(expected?: ExpectedBody): Promise<unknown> {
    const kind = expected?.kind;
    const { contentType } = this;
    const isPatch = this.method === 'PATCH' && contentType.endsWith('+json');
    const isYaml = contentType === 'application/yaml';
    const isJson = contentType === '' || contentType === JSON_TYPE || isPatch;
    if (!isJson && !isYaml && contentType !== PROTOBUF)
      throw unsupportedMediaType([JSON_TYPE, 'application/yaml', PROTOBUF]);
    const bytes = await this.bytes();
    if (contentType === PROTOBUF && (bytes.length > 0 || expected)) return codec().decodeBody(bytes, expected);
    if (kind === undefined && bytes.length === 0) return undefined;
    try {
      const text = bytes.toString();
      if (isYaml) {
        const { value, duplicates } = await parseYaml(text);
        this.#duplicateKeys = duplicates;
        return kind === undefined ? value : identified(value);
      }
      this.#text = text;
      const value = parseJson(text);
      if (kind === undefined) return value;
      return expected?.builtIn ? identified(value) : withKind(identified(value), text, expected);
    } catch (error) {
      if (!(error instanceof UnreadableBody || error instanceof YamlError)) throw error;
      throw kind === undefined ? badRequest(error.message) : unrecognized(kind, error, bytes);
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

  /** Sends a body. JSON is converted to YAML, or indented, if the client asks for it. */
  sendBytes(code: number, body: Buffer, contentType = JSON_TYPE): void {
    if (contentType === JSON_TYPE && prefersYaml(this.header('accept'))) {
      this.#finish(code, Buffer.from(yamlText(JSON.parse(body.toString()))), 'application/yaml');
    } else {
      this.#finish(code, contentType === JSON_TYPE && this.#isPretty ? indented(body) : body, contentType);
    }
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
    if (wait !== undefined) this.#response.setHeader('retry-after', String(wait));
    this.send(error.code, error.toStatus());
  }

  /**
   * Sends a response that may be too large for one buffer: in chunks, with back pressure, compressed if the client
   * accepts it.
   */
  async sendParts(code: number, parts: Iterable<Buffer>, contentType: string): Promise<void> {
    if (contentType === JSON_TYPE && (this.#isPretty || prefersYaml(this.header('accept')))) {
      this.sendBytes(code, Buffer.concat([...parts]));
      return;
    }
    const chunks = coalesce(parts);
    const first = chunks.next();
    const head = first.done ? Buffer.alloc(0) : first.value;
    if (head.length < GZIP_FROM) {
      // The first chunk is this small only if it is also the last.
      this.sendBytes(code, head, contentType);
      return;
    }
    const body = Readable.from(inTurns(head, chunks));
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
    this.#response.writeHead(code, headers);
  }
}

/** Go refuses a malformed path before the server sees it. Here it matches no route. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function indented(json: Buffer): Buffer {
  return Buffer.from(JSON.stringify(JSON.parse(json.toString()), null, 2));
}

function first(value: string | string[]): string {
  return [value].flat()[0] ?? '';
}

/** Yields all chunks of a response, with pauses in which other requests are served. */
async function* inTurns(first: Buffer, others: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  const turn = new Turn();
  for (const chunk of others) {
    yield chunk;
    if (turn.isOver) await turn.next();
  }
}

/** A client may close its connection during a response. */
function ignoreClientGone(): void {}
