import type { Clock, Logger } from '@mcr/client';
import type { Fleet } from '../fleet/status/fleet.ts';
import type { HealthCheck } from './health/health-check.ts';
import { HealthEndpoint } from './health/health-endpoint.ts';
import type { Authorizer } from './http/authorizer.ts';
import type { BindAddress } from './http/bind-address.ts';
import type { HttpHandler, MetricsHandlerOptions } from './http/http-handler.ts';
import { HttpServer } from './http/http-server.ts';
import type { ServingCertificateFiles } from './http/serving-certificate.ts';
import { ServingCertificate } from './http/serving-certificate.ts';
import type { Sharding } from '../sharding/sharding.ts';
import type { Metrics } from './metrics/metrics.ts';
import { MetricsEndpoint } from './metrics/metrics-endpoint.ts';
import type { Runnable } from './runnable.ts';

export interface EndpointsOptions {
  readonly fleet: Fleet;
  readonly metrics?: Metrics;
  /** Default: the fleet is not sharded. */
  readonly sharding?: Pick<Sharding, 'status'>;
  /** Default: metrics and the fleet status are not served. */
  readonly metricsAddress?: BindAddress;
  /** Default: plain HTTP. */
  readonly metricsCertificate?: ServingCertificateFiles;
  /** Authorizes requests for metrics and the fleet status. Default: requests need no authentication. */
  readonly metricsAuthorizer?: Authorizer;
  /** Names in `Host` that requests without authentication on loopback may have, besides `localhost`. Default: none. */
  readonly metricsHosts?: readonly string[];
  /** Default: health is not served. */
  readonly healthAddress?: BindAddress;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The HTTP endpoints of a manager. */
export class Endpoints {
  readonly #options: EndpointsOptions;
  readonly #healthz: HealthEndpoint;
  readonly #readyz: HealthEndpoint;
  readonly #metrics: MetricsEndpoint;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    const { clock, logger, fleet, metrics, sharding } = options;
    this.#healthz = new HealthEndpoint({ path: '/healthz', clock, logger });
    this.#readyz = new HealthEndpoint({ path: '/readyz', clock, logger });
    this.#metrics = new MetricsEndpoint({
      fleet,
      ...(metrics && { registry: metrics.registry }),
      ...(sharding && { sharding: () => sharding.status() }),
    });
  }

  addHealthzCheck(name: string, check: HealthCheck): void {
    this.#healthz.add(name, check);
  }

  addReadyzCheck(name: string, check: HealthCheck): void {
    this.#readyz.add(name, check);
  }

  addMetricsHandler(path: string, handler: HttpHandler, options: MetricsHandlerOptions = {}): void {
    this.#metrics.add(path, handler, options);
  }

  /** Returns the configured servers. */
  *servers(): Iterable<Runnable> {
    const { metricsAddress, healthAddress, logger } = this.#options;
    if (metricsAddress) {
      const route = (path: string) => this.#metrics.route(path);
      const { clock, metricsCertificate: files, metricsAuthorizer: authorizer, metricsHosts = [] } = this.#options;
      const certificate = files && new ServingCertificate({ files, clock, logger });
      yield new HttpServer({
        name: 'metrics',
        address: metricsAddress,
        route,
        isOpen: (path) => this.#metrics.isOpen(path),
        allowedHosts: metricsHosts,
        logger,
        ...(certificate && { certificate }),
        ...(authorizer && { authorizer }),
      });
    }
    if (healthAddress) {
      const route = (path: string) => this.#healthz.route(path) ?? this.#readyz.route(path);
      yield new HttpServer({ name: 'health', address: healthAddress, route, logger });
    }
  }
}
