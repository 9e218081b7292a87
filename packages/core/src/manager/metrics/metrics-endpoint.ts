import type { Registry } from 'prom-client';
import { foundText } from '@mcr/client';
import type { Fleet } from '../../fleet/status/fleet.ts';
import type { ShardingStatus } from '../../sharding/sharding.ts';
import type { HttpHandler, MetricsHandlerOptions } from '../http/http-handler.ts';

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
  readonly #open = new Set<string>();

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

  /** @throws {TypeError} if the path is in use, or an argument is invalid. */
  add(path: string, handler: HttpHandler, options: MetricsHandlerOptions = {}): void {
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
    const access: unknown = options.access;
    if (access !== undefined && access !== 'everybody') {
      throw new TypeError(
        `metrics handler for ${path}: expected access to be "everybody", or no access, found ${JSON.stringify(access)}`,
      );
    }
    this.#handlers.set(path, handler);
    if (access === 'everybody') this.#open.add(path);
  }

  /** Whether requests for the path need no token. */
  isOpen(path: string): boolean {
    return this.#open.has(path);
  }

  route(path: string): HttpHandler | undefined {
    return this.#handlers.get(path);
  }
}
