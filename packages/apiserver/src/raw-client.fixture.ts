import { connect } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import type { ClusterConfig } from '@mcr/client';

/** Fields of response bodies that tests read. The types are not checked at run time: the tests check the values. */
export interface Body {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly generation: number;
    readonly generateName: string;
    readonly deletionTimestamp: string;
    readonly finalizers: readonly string[];
    readonly ownerReferences: readonly object[];
    readonly annotations: Readonly<Record<string, string>>;
    readonly managedFields: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly subresource?: string;
      readonly fieldsV1: object;
    }[];
    readonly continue: string;
    readonly remainingItemCount: number;
  };
  readonly items: readonly Body[];
  readonly data: Readonly<Record<string, string>>;
  readonly spec: unknown;
  readonly status: unknown;
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details: { readonly causes: readonly { readonly field: string }[] };
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: Body }[];
}

export interface WatchedEvent {
  readonly type: string;
  readonly object: Body;
}

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  readonly body: Body;
}

interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * HTTP/2 client that returns raw responses. Tests of the server use it, because a real client would hide what the
 * server sends.
 */
export class RawClient implements Disposable {
  readonly #session: ClientHttp2Session;
  readonly #authorization: string;

  constructor({ server, tls, auth }: ClusterConfig) {
    const { caData: ca = '', certData: cert, keyData: key } = tls ?? {};
    this.#session = connect(server, { ca, ...(cert !== undefined && { cert, key }) });
    // A reset connection fails its streams, and these report the error.
    this.#session.on('error', () => undefined);
    this.#authorization = auth?.type === 'token' ? `Bearer ${auth.token}` : '';
  }

  async request(method: string, path: string, { body, headers }: RequestOptions = {}): Promise<RawResponse> {
    const stream = this.#open(method, path, headers);
    const sent = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    stream.end(sent);
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    const ended = new Promise((resolve) => stream.once('end', resolve).once('close', resolve));
    const head = await headersOf(stream);
    // A server that responds before it has read the whole request resets the stream afterwards. The response is still
    // valid.
    await ended;
    const bytes = Buffer.concat(chunks);
    const plain = head['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    const text = plain.toString();
    const isJson = text !== '' && (head['content-type']?.startsWith('application/json') ?? false);
    return {
      status: Number(head[':status']),
      headers: head,
      bytes: plain,
      text,
      body: (isJson ? JSON.parse(text) : {}) as Body,
    };
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<RawResponse> {
    return this.request('GET', path, { headers });
  }

  post(path: string, body: unknown): Promise<RawResponse> {
    return this.request('POST', path, { body, headers: { 'content-type': 'application/json' } });
  }

  put(path: string, body: unknown): Promise<RawResponse> {
    return this.request('PUT', path, { body, headers: { 'content-type': 'application/json' } });
  }

  patch(path: string, body: unknown, type = 'merge-patch'): Promise<RawResponse> {
    return this.request('PATCH', path, { body, headers: { 'content-type': `application/${type}+json` } });
  }

  /** Sends an apply patch as a field manager. @param query additional query parameters. */
  apply(path: string, body: unknown, manager: string, query = ''): Promise<RawResponse> {
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    return this.request('PATCH', `${path}?fieldManager=${manager}${query}`, { body, headers });
  }

  delete(path: string, body?: unknown): Promise<RawResponse> {
    return this.request('DELETE', path, { body });
  }

  async watch(path: string, headers: Readonly<Record<string, string>> = {}): Promise<RawWatch> {
    const stream = this.#open('GET', path, headers);
    stream.end();
    const head = await headersOf(stream);
    return new RawWatch(stream, Number(head[':status']));
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
  }

  #open(method: string, path: string, headers: Readonly<Record<string, string>> = {}): ClientHttp2Stream {
    const authorization = this.#authorization === '' ? {} : { authorization: this.#authorization };
    const head = { ':method': method, ':path': path, ...authorization, ...headers };
    return this.#session.request(head, { endStream: false });
  }
}

/** The event lines of one watch. */
export class RawWatch {
  readonly status: number;
  readonly #stream: ClientHttp2Stream;
  readonly #lines: AsyncIterator<string>;

  constructor(stream: ClientHttp2Stream, status: number) {
    this.status = status;
    this.#stream = stream;
    // A reset stream ends the iteration over its lines.
    stream.on('error', () => undefined);
    this.#lines = createInterface({ input: stream })[Symbol.asyncIterator]();
  }

  /** Returns the next event, or `undefined` if the watch has ended or was reset. */
  async next(): Promise<WatchedEvent | undefined> {
    const line = await this.#lines.next().catch(() => undefined);
    return line === undefined || line.done ? undefined : (JSON.parse(line.value) as WatchedEvent);
  }

  /** Returns what is left of the body, for a watch that was refused. */
  async rest(): Promise<string> {
    let text = '';
    for (let line = await this.#lines.next(); !line.done; line = await this.#lines.next()) text += line.value;
    return text;
  }

  /** Returns the next events, each as `TYPE name@version`. */
  async take(count: number): Promise<string[]> {
    const texts: string[] = [];
    while (texts.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      texts.push(`${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}`);
    }
    return texts;
  }

  /** Stops reading, until {@link resume}. */
  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  close(): void {
    this.#stream.close();
  }
}

function headersOf(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve);
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('the stream ended before the response began')));
  });
}

export function configMap(name: string, data: Readonly<Record<string, string>> = {}, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
