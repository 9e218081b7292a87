import type { ClusterConfig } from '@mcr/client';
import type { Body, RawWatch } from '../../../packages/apiserver/src/raw-client.fixture.ts';
import { RawClient } from '../../../packages/apiserver/src/raw-client.fixture.ts';
import { NumberedValues } from './numbered-values.ts';

/** A response, or the events of a watch, as a client sees them. */
export interface Fact {
  readonly asked: string;
  readonly status: number;
  readonly answer: unknown;
}

export interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request of a script. Requests are sent in order, so a later one can depend on an earlier one. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Media type of a patch. */
  readonly type?: keyof typeof PATCH_TYPES;
}

const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** Sends requests to one server and records the normalised responses. */
export class Session implements Disposable {
  readonly facts: Fact[] = [];
  readonly #client: RawClient;
  readonly #values = new NumberedValues();
  #watches: { readonly path: string; readonly watch: RawWatch }[] = [];

  constructor(config: ClusterConfig) {
    this.#client = new RawClient(config);
  }

  get(path: string, headers: Asked['headers'] = {}): Promise<Body> {
    return this.ask('GET', path, { headers });
  }

  post(path: string, body: unknown): Promise<Body> {
    return this.ask('POST', path, { body, headers: { 'content-type': 'application/json' } });
  }

  put(path: string, body: unknown): Promise<Body> {
    return this.ask('PUT', path, { body, headers: { 'content-type': 'application/json' } });
  }

  patch(type: keyof typeof PATCH_TYPES, path: string, body: unknown): Promise<Body> {
    return this.ask('PATCH', path, { body, headers: { 'content-type': PATCH_TYPES[type] } });
  }

  delete(path: string, body?: unknown): Promise<Body> {
    return this.ask(
      'DELETE',
      path,
      body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } },
    );
  }

  /** Sends a request whose body, if it has one, is JSON. */
  send({ method, path, body, type }: Step): Promise<Body> {
    const headers = body === undefined ? {} : { 'content-type': type ? PATCH_TYPES[type] : 'application/json' };
    return this.ask(method, path, { body, headers });
  }

  async ask(method: string, path: string, { body, headers = {} }: Asked = {}): Promise<Body> {
    const named = { 'user-agent': 'judge/1', ...headers };
    const answer = await this.#client.request(method, path, { body, headers: named });
    const isJson = answer.text.startsWith('{');
    const warning = answer.headers['warning'];
    this.facts.push({
      asked: this.#values.text(`${method} ${path}`),
      status: answer.status,
      answer: this.#values.normalise({
        ...(warning !== undefined && { warning }),
        body: isJson ? (JSON.parse(answer.text) as unknown) : answer.text,
      }),
    });
    return isJson ? (JSON.parse(answer.text) as Body) : ({} as Body);
  }

  /** Opens a watch whose events {@link drain} records. */
  async watch(path: string, headers: Asked['headers'] = {}): Promise<void> {
    this.#watches.push({ path, watch: await this.#client.watch(path, headers) });
  }

  /** Records the events of each watch up to the last one, whose object name starts with `last`. */
  async drain(last: string): Promise<void> {
    for (const { path, watch } of this.#watches) {
      const events: unknown[] = [];
      for (;;) {
        const event = await watch.next();
        if (event === undefined) break;
        events.push(event);
        if (event.type === 'ERROR' || event.object.metadata.name.startsWith(last)) break;
      }
      watch.close();
      this.facts.push({
        asked: this.#values.text(`WATCH ${path}`),
        status: watch.status,
        answer: this.#values.normalise(events),
      });
    }
    this.#watches = [];
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}
