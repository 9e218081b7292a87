import type { TLSSocket } from 'node:tls';
import type { ClientSubject, Credentials } from '../access/access.ts';
import { codec, CODEC_FROM, loadCodec, PROTOBUF } from '../protobuf/codec.ts';
import type { Kind } from '../protobuf/envelope.ts';
import { JSON_TYPE } from '../representation/media-type.ts';
import { duplicateFields } from '../schema/duplicate-fields.ts';
import { badRequest, requestTooLarge, unsupportedMediaType } from '../status.ts';
import type { RequestMessage } from './message.ts';
import { identified, readJson, requireFinite, UnreadableBody, unrecognized, withKind } from './readable-body.ts';
import { wellFormedJson } from './well-formed-json.ts';
import { parseYaml, YamlError } from './yaml.ts';

/** Maximum size of a request body in bytes, as in kube-apiserver. */
const BODY_LIMIT = 3 * 1024 * 1024;

/** Kind of the object in a body. */
export interface ExpectedBody extends Kind {
  /** Whether the body may leave out kind and version. Default: false. */
  readonly builtIn?: boolean;
  /** Whether the request does not validate fields. The error of a missing kind then differs. Default: false. */
  readonly isLenient?: boolean;
}

/** A request over HTTP/1.1 or HTTP/2, or within the process: its method, path, headers and body. */
export class ReceivedRequest implements Credentials {
  readonly method: string;
  /** Decoded, so that an encoded slash separates segments, as in Go. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly #request: RequestMessage;
  #text = '';
  #duplicates: readonly string[] | undefined;
  #duplicateKeys: readonly string[] = [];

  constructor(request: RequestMessage) {
    this.#request = request;
    const url = pathOfTarget(request.url ?? '/');
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

  /** Paths of the duplicate fields of a JSON body that was read. */
  get duplicateFields(): readonly string[] {
    return (this.#duplicates ??= duplicateFields(this.#text));
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
      const text = isYaml ? bytes.toString() : wellFormedJson(bytes.toString());
      if (isYaml) {
        const { value, duplicates } = await parseYaml(text);
        this.#duplicateKeys = duplicates;
        return kind === undefined ? value : identified(value);
      }
      this.#text = text;
      const { value, duplicates, overflowing } = await readJson(text);
      this.#duplicates = duplicates;
      if (kind === undefined) return value;
      if (expected?.builtIn) return identified(value);
      if (expected) requireFinite(overflowing, expected);
      return withKind(identified(value), text, expected);
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
    // The size of a large object in the storage is that of its protobuf.
    if (size >= CODEC_FROM) await loadCodec();
    return Buffer.concat(chunks);
  }
}

/** Returns the target of a request without the scheme and the host that the absolute form has (RFC 9112, 3.2.2). */
function pathOfTarget(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?]*/iu, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Go refuses a malformed path before the server sees it. Here it matches no route. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function first(value: string | string[]): string {
  return [value].flat()[0] ?? '';
}
