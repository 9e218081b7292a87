import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An API server that serves the Secrets of the namespace `fleet` as a test writes them, without checking their types. */
export class UncheckedHub implements AsyncDisposable {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #secrets = new Map<string, object>();
  readonly #watches = new Set<ServerResponse>();
  #version = 1;

  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @param fields fields of the Secret, which override the required ones. */
  put(name: string, { metadata, ...fields }: { readonly metadata?: object } & Readonly<Record<string, unknown>>): void {
    const type = this.#secrets.has(name) ? 'MODIFIED' : 'ADDED';
    this.#version += 1;
    const own = { name, namespace: 'fleet', uid: `uid-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' };
    const object = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...own, ...metadata, resourceVersion: String(this.#version) },
      ...fields,
    };
    this.#secrets.set(name, object);
    for (const watch of this.#watches) watch.write(`${JSON.stringify({ type, object })}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'http://hub');
    const metadata = { resourceVersion: String(this.#version) };
    if (pathname === '/readyz') return void response.end('ok');
    const reply = (document: object) => response.end(JSON.stringify(document));
    if (pathname === '/version') return void reply({ major: '1', minor: '35', gitVersion: 'v1.35.4' });
    if (pathname !== '/api/v1/namespaces/fleet/secrets') {
      response.statusCode = 404;
      return void reply({ kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, message: 'not found' });
    }
    if (searchParams.get('watch') !== 'true') return void reply({ metadata, items: [...this.#secrets.values()] });
    if (searchParams.has('sendInitialEvents')) {
      response.statusCode = 422;
      return void reply({ kind: 'Status', status: 'Failure', reason: 'Invalid', code: 422, message: 'forbidden' });
    }
    this.#watches.add(response);
    response.once('close', () => this.#watches.delete(response));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
  }
}

/** Returns values of all JSON types except the type of `right`. */
export function wrongValues(right: unknown): unknown[] {
  return [7, true, 'text', [], [null], {}, { length: 2 ** 31 }].filter(
    (wrong) => typeof wrong !== typeof right || isFields(wrong) !== isFields(right),
  );
}
