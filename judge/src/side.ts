import type { ClusterConfig } from '@mcr/client';
import { decodeObject } from '../../packages/apiserver/src/protobuf/envelope.ts';
import type { RawWatch } from '../../packages/apiserver/src/raw-client.fixture.ts';
import { RawClient } from '../../packages/apiserver/src/raw-client.fixture.ts';
import { changeOf } from './change.ts';
import { Normaliser } from './normaliser.ts';
import type { Json, JsonObject, Operation } from './operation.ts';
import { MARKER } from './operation.ts';

/** Deadline of one request, and of the next event of a watch, in milliseconds. */
const TIMEOUT = 30_000;

/** Headers that clients depend on. */
const HEADERS = ['content-type', 'warning', 'retry-after', 'allow', 'location', 'www-authenticate', 'cache-control'];

/** Errors of requests on a connection that the server has ended. */
const UNSENT: ReadonlySet<string> = new Set(['ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_INVALID_SESSION']);

/** A server did not answer within a deadline. */
class LateError extends Error {
  override readonly name = 'LateError';

  constructor(what: string) {
    super(`${what}: no answer within ${TIMEOUT} ms`);
  }
}

/** An answer, normalised. */
export interface Answer {
  readonly status: number;
  readonly headers: JsonObject;
  readonly body: Json;
  /** Whether the server did not answer, or did not send an event, within the deadline. The answer is incomplete then. */
  readonly isLate?: true;
}

/** A request as it was sent. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json | Buffer | undefined;
}

interface Remembered {
  readonly object: JsonObject;
  readonly first: string;
}

/** One of the two servers, with what it returned before. */
export class Side implements Disposable {
  readonly #config: ClusterConfig;
  #client: RawClient;
  readonly #normaliser = new Normaliser();
  readonly #objects = new Map<string, Remembered>();
  readonly #tokens = new Map<string, string>();
  #watch: RawWatch | undefined;

  constructor(config: ClusterConfig) {
    this.#config = config;
    this.#client = new RawClient(config);
  }

  /** Replaces the references of an operation with what this server returned. */
  resolve({ method, path, headers = {}, body, changed }: Operation): Sent {
    const value = changed ? changeOf(changed, this.#objects.get(changed.of)?.object ?? {}) : body;
    const resolved = Buffer.isBuffer(value) ? value : value === undefined ? undefined : this.#inJson(value);
    return { method, path: this.#inText(path, encodeURIComponent), headers, body: resolved };
  }

  /** Sends an operation, and returns its normalised answer. Status 0: the server ended the connection. */
  async send(operation: Operation): Promise<Answer> {
    try {
      return await this.#send(operation);
    } catch (error) {
      this.#client[Symbol.dispose]();
      this.#client = new RawClient(this.#config);
      this.#watch = undefined;
      // The server ended the connection after an earlier request, and did not get this one.
      if (UNSENT.has((error as NodeJS.ErrnoException).code ?? '')) return this.#send(operation);
      const answer = { status: 0, headers: {}, body: (error as Error).message };
      return error instanceof LateError ? { ...answer, isLate: true } : answer;
    }
  }

  async #send(operation: Operation): Promise<Answer> {
    const { method, path, headers, body } = this.resolve(operation);
    const head = { 'user-agent': 'judge/1', ...headers };
    if (operation.until) return this.#watched(path, head, operation.until);
    const answer = await within(this.#client.request(method, path, { body, headers: head }), `${method} ${path}`);
    const type = answer.headers['content-type'] ?? '';
    const value = bodyOf(answer.bytes, answer.text, type);
    this.#remember(operation, path, value);
    return {
      status: answer.status,
      headers: Object.fromEntries(
        HEADERS.flatMap((name) => {
          const header = answer.headers[name];
          if (header === undefined) return [];
          const text = String(header);
          const value = name === 'warning' ? this.#normaliser.warnings(method, text) : this.#normaliser.text(text);
          return [[name, value]];
        }),
      ),
      body: typeof value === 'string' ? this.#normaliser.text(value) : this.#normaliser.body(value),
    };
  }

  /** Returns the events of the open watch up to the marker. */
  async drain(): Promise<Answer | undefined> {
    const watch = this.#watch;
    if (!watch) return undefined;
    this.#watch = undefined;
    return this.#answerOf(watch, await eventsOf(watch, (event) => nameOf(event) === MARKER));
  }

  #answerOf({ status }: RawWatch, { events, isLate }: Events): Answer {
    return { status, headers: {}, body: this.#normaliser.body(events), ...(isLate && { isLate }) };
  }

  /** Waits until the cache of a collection is up to date. */
  async settle(collection: string): Promise<void> {
    await within(this.#client.get(collection), collection).catch(() => undefined);
  }

  /** Forgets an object, so that later operations do not start from it. */
  forget(path: string): void {
    this.#objects.delete(path);
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  async #watched(
    path: string,
    headers: Readonly<Record<string, string>>,
    until: 'initial' | 'marker',
  ): Promise<Answer> {
    this.#watch?.close();
    this.#watch = undefined;
    const watch = await within(this.#client.watch(path, headers), path);
    const head = 'application/json';
    if (until === 'marker' && watch.status === 200) {
      this.#watch = watch;
      return { status: 200, headers: {}, body: null };
    }
    if (watch.status !== 200) {
      const text = await within(watch.rest(), path);
      return { status: watch.status, headers: {}, body: this.#normaliser.body(bodyOf(Buffer.from(text), text, head)) };
    }
    return this.#answerOf(watch, await eventsOf(watch, isEndOfInitialEvents));
  }

  #remember({ method, path }: Operation, sent: string, value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const { metadata } = value as { readonly metadata?: JsonObject };
    if (!metadata || sent.includes('dryRun')) return;
    const [plain = ''] = path.split('?');
    if (typeof metadata['continue'] === 'string') this.#tokens.set(plain, metadata['continue']);
    const { name, uid, resourceVersion } = metadata;
    if (typeof uid !== 'string' || typeof name !== 'string' || typeof resourceVersion !== 'string') return;
    const key = method === 'POST' ? `${plain}/${name}` : plain;
    const first = this.#objects.get(key)?.first ?? resourceVersion;
    this.#objects.set(key, { object: value as JsonObject, first });
  }

  #inText(text: string, encode: (text: string) => string = (value) => value): string {
    return text.replaceAll(/\{\{(?<noun>\w+) (?<path>[^}]*)\}\}/gu, (_, noun: string, path: string) => {
      const known = this.#objects.get(path);
      const metadata = known?.object['metadata'] as Readonly<Record<string, string>> | undefined;
      switch (noun) {
        case 'version':
          return metadata?.['resourceVersion'] ?? '1';
        case 'first':
          return known?.first ?? '1';
        case 'uid':
          return metadata?.['uid'] ?? '00000000-0000-0000-0000-000000000000';
        default:
          return encode(this.#tokens.get(path) ?? 'none');
      }
    });
  }

  #inJson(value: Json): Json {
    if (typeof value === 'string') return this.#inText(value);
    if (Array.isArray(value)) return value.map((item: Json) => this.#inJson(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, item]) => [field, item === undefined ? undefined : this.#inJson(item)]),
    );
  }
}

function bodyOf(bytes: Buffer, text: string, type: string): unknown {
  if (type.startsWith('application/vnd.kubernetes.protobuf') || type.includes('proto-openapi')) {
    try {
      return { protobuf: decodeObject(bytes) };
    } catch {
      return `${bytes.length > 0 ? 'some' : 'no'} protobuf`;
    }
  }
  if (!type.startsWith('application/json') && !type.startsWith('application/apply-patch')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

interface Events {
  readonly events: readonly JsonObject[];
  /** Whether an event did not arrive. */
  readonly isLate: boolean;
}

async function eventsOf(watch: RawWatch, isLast: (event: JsonObject) => boolean): Promise<Events> {
  const events: JsonObject[] = [];
  let isLate = false;
  try {
    for (;;) {
      const event = await within(watch.next(), 'an event');
      if (event === undefined) break;
      events.push(event as unknown as JsonObject);
      if (event.type === 'ERROR' || isLast(event as unknown as JsonObject)) break;
    }
  } catch {
    isLate = true;
    events.push({ type: 'TIMEOUT' });
  } finally {
    watch.close();
  }
  return { events, isLate };
}

/** Returns the name of the object of an event, which may be the row of a table. */
function nameOf({ object }: JsonObject): Json | undefined {
  const rows = (object as JsonObject | undefined)?.['rows'] as readonly JsonObject[] | null | undefined;
  const inside = (rows ? rows[0]?.['object'] : object) as JsonObject | undefined;
  return (inside?.['metadata'] as JsonObject | undefined)?.['name'];
}

function isEndOfInitialEvents({ type, object }: JsonObject): boolean {
  return type === 'BOOKMARK' && JSON.stringify(object).includes('k8s.io/initial-events-end');
}

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new LateError(what)), TIMEOUT);
  try {
    return await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
