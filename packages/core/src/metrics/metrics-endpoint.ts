import type { Registry } from 'prom-client';
import type { Fleet } from '../fleet/fleet.ts';
import type { HttpHandler } from '../http/http-server.ts';

export interface MetricsEndpointOptions {
  /** Default: there is no `/metrics`. */
  readonly registry?: Pick<Registry, 'metrics' | 'contentType'>;
  readonly fleet: Pick<Fleet, 'list'>;
}

/** What the metrics server answers: `/metrics`, `/fleet`, and what is added to it. */
export class MetricsEndpoint {
  readonly #handlers = new Map<string, HttpHandler>();

  constructor({ registry, fleet }: MetricsEndpointOptions) {
    if (registry) {
      this.add('/metrics', async (_, response) => {
        const text = await registry.metrics();
        response.writeHead(200, { 'content-type': registry.contentType }).end(text);
      });
    }
    this.add('/fleet', (_, response) => {
      const json = JSON.stringify({ clusters: fleet.list() });
      response.writeHead(200, { 'content-type': 'application/json' }).end(json);
    });
  }

  /** @throws {TypeError} when the path is taken, or is none. */
  add(path: string, handler: HttpHandler): void {
    if (!path.startsWith('/')) throw new TypeError(`a path begins with "/", and ${JSON.stringify(path)} does not`);
    if (this.#handlers.has(path)) throw new TypeError(`there is a metrics handler for ${path} already`);
    this.#handlers.set(path, handler);
  }

  route(path: string): HttpHandler | undefined {
    return this.#handlers.get(path);
  }
}
