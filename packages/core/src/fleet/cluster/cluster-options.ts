import * as z from 'zod';
import { clientOptionSchemas, type ClusterClientOptions } from './client-options.ts';
import { cacheOptionsSchema } from '@mcr/client';
import type { CacheOptions, ListSlots, Logger, Clock, Tracer, ResponseLimits, ClientMetrics } from '@mcr/client';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { ClusterInfo } from './cluster.ts';

/** Options of `createCluster`. (Upstream: controller-runtime's `cluster.Options`.) */
export interface ClusterOptions extends ClusterClientOptions {
  /** Name in logs, errors and spans. Default: none, as for the local cluster. */
  readonly name?: ClusterName;
  /** Metadata of the cluster. Default: none. */
  readonly info?: Partial<Omit<ClusterInfo, 'version'>>;
  /** Options of the cluster's cache. */
  readonly cache?: Omit<
    CacheOptions,
    'client' | 'clusterName' | 'observeWait' | 'listSlots' | 'recovery' | 'restMapper' | 'clock' | 'logger'
  >;
  /**
   * Limits concurrent lists, across all clusters that share the instance. Default: an own instance with 8 slots.
   */
  readonly listSlots?: ListSlots;
  /** Logger of the cluster. Default: nothing is logged. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Creates a span for each client call. Default: none. */
  readonly tracer?: Tracer;
  /** Maximum sizes of the API server's responses, in bytes. Default: those of {@link ResponseLimits}. */
  readonly limits?: ResponseLimits;
  /** Counts the requests to the API server. Default: they are not counted. */
  readonly metrics?: ClientMetrics;
}

/** Options that a provider accepts for all of its clusters. It sets the rest of {@link ClusterOptions} itself. */
type MemberOptions = Omit<ClusterOptions, 'name' | 'info'>;

const object = z.custom((value) => typeof value === 'object' && value !== null, 'expected an object').optional();

/** Checks the option `clusterOptions` of a provider, so that a wrong one fails before a cluster is created. */
export const clusterOptionsSchema = z.strictObject({
  cache: cacheOptionsSchema.optional(),
  ...clientOptionSchemas,
  listSlots: object,
  logger: object,
  clock: object,
  tracer: object,
  metrics: object,
  limits: z.record(z.string(), z.number().positive()).optional(),
} satisfies Record<keyof MemberOptions, z.ZodType>);

/** Checks the options of `createCluster` itself. */
export const ownOptionsSchema = clusterOptionsSchema.extend({
  name: z.string().optional(),
  info: object,
});
