import type { ClusterConfig, ClusterOptions } from '@mcr/core';
import { clusterOptionsSchema, parseOptions, positiveMilliseconds } from '@mcr/core/provider';
import * as z from 'zod';

export interface KindProviderOptions {
  /** Prefix of the names of the clusters to discover. Default: all clusters. */
  readonly prefix?: string;
  /** Poll interval in milliseconds. Default: 2,000. */
  readonly pollInterval?: number;
  /** Name or path of the Kind program. Default: `kind`. */
  readonly binary?: string;
  /** Container engine, whose events start polls. Default: the one that Kind detects, and the events of `docker`. */
  readonly containerRuntime?: 'docker' | 'podman' | 'nerdctl';
  /** Options of every member: `cache`, `readYourWrites`, `logger` and so on, as for `createCluster`. Default: those of the manager. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Changes the configuration of every member, for example its user agent. */
  readonly configure?: (config: ClusterConfig) => ClusterConfig;
}

const schema = z.strictObject({
  prefix: z.string().optional(),
  pollInterval: positiveMilliseconds.optional(),
  binary: z.string().min(1, 'expected the name or path of the Kind program').optional(),
  containerRuntime: z.enum(['docker', 'podman', 'nerdctl']).optional(),
  clusterOptions: clusterOptionsSchema.optional(),
  configure: z.custom((value) => typeof value === 'function', 'expected a function of a ClusterConfig').optional(),
});

/** @throws {TypeError} if an option is unknown or invalid; the message names it. */
export function withDefaults(options: KindProviderOptions) {
  parseOptions('KindProvider', schema, options);
  return {
    prefix: options.prefix ?? '',
    pollInterval: options.pollInterval ?? 2_000,
    binary: options.binary ?? 'kind',
    containerRuntime: options.containerRuntime,
    clusterOptions: options.clusterOptions ?? {},
    configure: options.configure ?? ((config: ClusterConfig) => config),
  } as const;
}
