import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Random = () => number;

/** Returns a generator of numbers in [0, 1) that are determined by a seed (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WRONG: readonly unknown[] = [null, 7, -1, true, 'text', [], [[]], {}, { toString: 1 }, { length: 3 }, [null]];

/** Returns a copy of a JSON value in which one field, at any depth, is missing or has another type. */
export function mistyped(value: unknown, random: Random): unknown {
  const pick = <T>(choices: readonly T[]): T | undefined => choices[Math.floor(random() * choices.length)];
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0 || random() < 0.15) {
    return pick(WRONG.filter((wrong) => typeName(wrong) !== typeName(value)));
  }
  const name = pick(Object.keys(value)) ?? '';
  const entries = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    if (key !== name) return [[key, field]];
    return random() < 0.1 ? [] : [[key, mistyped(field, random)]];
  });
  return Array.isArray(value) ? entries.map(([, field]) => field) : Object.fromEntries(entries);
}

function typeName(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

/**
 * An API server with ConfigMaps. While it is `hostile`, about half of its documents have a field of a wrong type, and
 * some requests are refused.
 */
export class MistypedServer implements AsyncDisposable {
  hostile = true;
  /** Number of documents that it sent with a wrong type. */
  mutations = 0;
  readonly #random: Random;
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #watches = new Set<ServerResponse>();
  readonly #names: string[] = ['a', 'b', 'c'];
  #version = 10;

  constructor(random: Random) {
    this.#random = random;
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get names(): readonly string[] {
    return this.#names;
  }

  add(name: string): void {
    this.#names.push(name);
    this.#version += 1;
    for (const watch of this.#watches) this.#send(watch, { type: 'ADDED', object: this.#object(name) });
  }

  /** Sends correct responses from now on, and expires all known resource versions. */
  recover(): void {
    this.hostile = false;
    this.#version += 1_000;
    for (const watch of this.#watches) this.#end(watch);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://h');
    const status = this.hostile && this.#random() < 0.2 ? Math.floor(400 + this.#random() * 120) : 200;
    if (status !== 200) {
      this.#refuse(response, status);
      return;
    }
    if (pathname === '/readyz') return void response.end('ok');
    if (pathname === '/version') {
      this.#reply(response, { major: '1', minor: '35', gitVersion: 'v1.35.4' });
      return;
    }
    if (pathname.endsWith('/kube-system')) {
      this.#reply(response, this.#object('kube-system'));
      return;
    }
    if (searchParams.get('watch') === 'true') {
      this.#watch(response, searchParams);
      return;
    }
    const items = this.#names.map((name) => this.#object(name));
    this.#reply(response, { kind: 'ConfigMapList', metadata: { resourceVersion: String(this.#version) }, items });
  }

  #watch(response: ServerResponse, query: URLSearchParams): void {
    const isInitial = query.get('sendInitialEvents') === 'true';
    if (!isInitial && query.get('resourceVersion') !== String(this.#version)) {
      this.#refuse(response, 410);
      return;
    }
    this.#watches.add(response);
    response.once('close', () => this.#watches.delete(response));
    response.writeHead(200, { 'content-type': 'application/json' });
    if (isInitial) for (const name of this.#names) this.#send(response, { type: 'ADDED', object: this.#object(name) });
    const annotations = isInitial ? { 'k8s.io/initial-events-end': 'true' } : {};
    const metadata = { resourceVersion: String(this.#version), annotations };
    this.#send(response, { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } });
    if (!this.hostile) return;
    const details = { name: 'a', retryAfterSeconds: 0, causes: [{ reason: 'Any', message: 'any', field: 'any' }] };
    const object = { kind: 'Status', message: 'any', reason: 'InternalError', code: 500, details };
    if (this.#random() < 0.5) this.#send(response, { type: 'ERROR', object });
    // Otherwise, a client that accepted everything would send no further request.
    else this.#end(response);
  }

  #refuse(response: ServerResponse, status: number): void {
    response.statusCode = status;
    const details = { name: 'a', causes: [{ reason: 'Any', message: 'any', field: 'any' }] };
    this.#reply(response, { kind: 'Status', code: status, message: 'refused', reason: 'Any', details });
  }

  #reply(response: ServerResponse, document: unknown): void {
    response.end(JSON.stringify(this.#wrong(document)));
  }

  #end(watch: ServerResponse): void {
    this.#watches.delete(watch);
    watch.end();
  }

  #send(watch: ServerResponse, event: unknown): void {
    watch.write(`${JSON.stringify(this.#wrong(event))}\n`);
  }

  #wrong(document: unknown): unknown {
    if (!this.hostile || this.#random() < 0.5) return document;
    this.mutations += 1;
    return mistyped(document, this.#random);
  }

  #object(name: string): object {
    const version = String(this.#version);
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace: 'default',
        uid: `uid-${name}`,
        resourceVersion: version,
        generation: 1,
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { app: name },
        annotations: { note: name },
        finalizers: ['example.com/keep'],
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid: 'u', controller: true }],
      },
      data: { key: name },
    };
  }
}
