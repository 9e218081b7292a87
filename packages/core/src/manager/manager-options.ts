import type { Clock, ClusterConfig, Logger, Tracer } from '@mcr/client';
import { cacheOptionsSchema, foundText } from '@mcr/client';
import * as z from 'zod';
import type { ClusterClientOptions } from '../fleet/cluster/client-options.ts';
import { clientOptionSchemas } from '../fleet/cluster/client-options.ts';
import type { ClusterOptions } from '../fleet/cluster/cluster-options.ts';
import type { ControllerDefaults } from '../options/controller-options.ts';
import { controllerDefaultsSchema } from '../options/controller-options.ts';
import type { Coordinator } from '../fleet/coordinator/coordinator.ts';
import { parseBindAddress } from './http/bind-address.ts';
import type { ServingCertificateFiles } from './http/serving-certificate.ts';
import type { LeaderElectionOptions } from './leader-election/leader-election-options.ts';
import { leaderElectionSchema } from './leader-election/leader-election-options.ts';
import type { ShardingOptions } from '../sharding/sharding-options.ts';
import { shardingSchema } from '../sharding/sharding-options.ts';
import type { Provider } from './provider.ts';

/**
 * Options of `createManager`. Client options ({@link ClusterClientOptions}) apply to the local cluster and to the
 * clusters of the provider. (Upstream: controller-runtime's `manager.Options`.)
 */
export interface ManagerOptions extends ClusterClientOptions {
  /**
   * Configuration of the local cluster. With `'none'`, the manager has no local cluster. Default: the result of
   * `loadKubeconfig()`; if there is no kubeconfig and a provider is set, the same as `'none'`.
   */
  readonly config?: ClusterConfig | 'none';
  /** Discovers the clusters of the fleet. Default: the fleet consists of the local cluster. */
  readonly provider?: Provider;
  /** Decides which clusters this process serves. Default: all. */
  readonly coordinator?: Coordinator;
  /** Logger of the manager and of everything that it runs. Default: `createLogger()`. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Options of the local cluster's cache. */
  readonly cache?: ClusterOptions['cache'];
  /** Defaults of every controller. */
  readonly controller?: ControllerDefaults;
  /** Enables leader election. Default: no leader election; this process always leads. */
  readonly leaderElection?: LeaderElectionOptions;
  /** Divides the fleet among the replicas of this program. Default: this process serves all clusters. */
  readonly sharding?: ShardingOptions;
  /** Address and access of `/metrics` and `/fleet`. */
  readonly metrics?: MetricsOptions;
  /** Address of `/healthz` and `/readyz`. Default: they are not served. */
  readonly health?: HealthOptions;
  /**
   * Creates a span for each reconcile and client call, for example `trace.getTracer('…')` of `@opentelemetry/api`.
   * Default: none.
   */
  readonly tracer?: Tracer;
  /**
   * Time to wait for all parts to stop, in milliseconds. `0` means no wait, `-1` no limit. Default: 30,000; with
   * `sharding`, `warmTimeout + drainTimeout` + 5,000, because the clusters are handed over.
   */
  readonly gracefulShutdownTimeout?: number;
}

/** Options of the server of `/metrics` and `/fleet`. */
export interface MetricsOptions {
  /**
   * Listening address, for example `':8080'`, `'127.0.0.1:8080'` or `'[::1]:8080'`. With `'0'`, metrics are neither
   * collected nor served. Default: `':8080'`.
   */
  readonly bindAddress?: string;
  /**
   * Maximum number of values of each of the labels `cluster` and `host`. Further samples get the value `*`. Default: 100.
   */
  readonly maxClusterLabels?: number;
  /** Serves HTTPS with this certificate. Default: plain HTTP. */
  readonly certificate?: ServingCertificateFiles;
  /**
   * With `everybody`, requests need no authentication. With `authorized`, they need a bearer token of a user of the local
   * cluster that may `get` the path (`nonResourceURLs`); this requires `certificate`, and permission for the manager to
   * create TokenReviews and SubjectAccessReviews. Default: `everybody`.
   */
  readonly access?: 'everybody' | 'authorized';
  /**
   * Host names, without ports, of a proxy on this machine that forwards requests with its own name in `Host`, for example
   * `['fleet.example.com']`. Requests without authentication that arrive on loopback are refused if they name any other
   * host than `localhost` or an address, so that pages of other sites cannot read the responses. Default: none.
   */
  readonly allowedHosts?: readonly string[];
}

/** Options of the server of `/healthz` and `/readyz`. */
export interface HealthOptions {
  /** Listening address in the format of {@link MetricsOptions.bindAddress}, for example `':8081'`. */
  readonly bindAddress: string;
}

const HOST_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/u;

const withMethods = (what: string, ...methods: string[]) =>
  z.custom(
    (value) => {
      const candidate = Object(value) as Record<string, unknown>;
      return methods.every((method) => typeof candidate[method] === 'function');
    },
    `expected a ${what}, which has ${methods.map((method) => `${method}()`).join(' and ')}`,
  );

const bindAddress = z.stringFormat(
  'bind address',
  (text) => parseBindAddress(text) !== null,
  'expected an address such as ":8080", or "0" for none',
);

const SHUTDOWN_TIMEOUT = 'expected a whole number of milliseconds, or -1 for no limit';

/** Validates {@link ManagerOptions}. */
export const managerOptionsSchema = z.strictObject({
  config: z
    .custom((value) => value === 'none' || typeof (Object(value) as { server?: unknown }).server === 'string', {
      error: ({ input }) =>
        `expected a ClusterConfig, or "none", found ${foundText(input)}: pass what loadKubeconfig(${typeof input === 'string' ? '{ path }' : ''}) returns`,
    })
    .optional(),
  provider: withMethods('Provider', 'get', 'indexField').optional(),
  coordinator: withMethods('Coordinator', 'addAware', 'engage').optional(),
  logger: withMethods('Logger', 'info', 'child').optional(),
  clock: withMethods('Clock', 'now', 'wallTime', 'schedule').optional(),
  cache: cacheOptionsSchema.optional(),
  ...clientOptionSchemas,
  controller: controllerDefaultsSchema.optional(),
  leaderElection: leaderElectionSchema.optional(),
  sharding: shardingSchema.optional(),
  metrics: z
    .strictObject({
      bindAddress: bindAddress.optional(),
      maxClusterLabels: z.int().nonnegative().optional(),
      certificate: z.strictObject({ certFile: z.string().min(1), keyFile: z.string().min(1) }).optional(),
      access: z.enum(['everybody', 'authorized']).optional(),
      allowedHosts: z
        .array(z.string().regex(HOST_NAME, 'expected a host name in lower case, without a port'))
        .optional(),
    })
    .refine(({ access, certificate }) => access !== 'authorized' || certificate, {
      path: ['access'],
      message: '"authorized" needs the option "certificate": tokens are not sent in the clear',
    })
    .optional(),
  health: z.strictObject({ bindAddress }).optional(),
  tracer: withMethods('Tracer', 'startActiveSpan').optional(),
  gracefulShutdownTimeout: z.int(SHUTDOWN_TIMEOUT).min(-1, SHUTDOWN_TIMEOUT).optional(),
});
