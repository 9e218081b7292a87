import type { Registry } from 'prom-client';
import { foundText } from '@mcr/client';
import type { Fleet } from '../../fleet/status/fleet.ts';
import type { ShardingStatus } from '../../sharding/sharding.ts';
import type { HttpHandler } from '../http/http-handler.ts';

export interface MetricsEndpointOptions {
  /** Default: `/metrics` is not served. */
  readonly registry?: Pick<Registry, 'metrics' | 'contentType'>;
  readonly fleet: Pick<Fleet, 'list'>;
  /** Returns the state of this replica in its group. Default: the fleet is not sharded. */
  readonly sharding?: () => ShardingStatus;
}

/** Routes of the metrics server: `/metrics`, `/fleet` and added paths. */
export class MetricsEndpoint {
  readonly #handlers = new Map<string, HttpHandler>();

  constructor({ registry, fleet, sharding }: MetricsEndpointOptions) {
    if (registry) {
      this.add('/metrics', async (_, response) => {
        const text = await registry.metrics();
        response.writeHead(200, { 'content-type': registry.contentType }).end(text);
      });
    }
    this.add('/fleet', (_, response) => {
      const json = JSON.stringify({ ...(sharding && { sharding: sharding() }), clusters: fleet.list() });
      response.writeHead(200, { 'content-type': 'application/json' }).end(json);
    });
  }

  /** @throws {TypeError} if the path is in use or invalid. */
  add(path: string, handler: HttpHandler): void {
    if (typeof path !== 'string' || !path.startsWith('/')) {
      const found = typeof path === 'string' ? JSON.stringify(path) : foundText(path);
      throw new TypeError(`metrics handler: expected a path that begins with "/", found ${found}`);
    }
    if (typeof handler !== 'function') {
      throw new TypeError(
        `metrics handler for ${path}: expected a function (request, response), found ${foundText(handler)}`,
      );
    }
    if (this.#handlers.has(path))
      throw new TypeError(`a metrics handler for ${path} exists already: choose another path`);
    this.#handlers.set(path, handler);
  }

  route(path: string): HttpHandler | undefined {
    return this.#handlers.get(path);
  }
}
