import type { ClusterConfig, ClusterOptions } from '@mcr/core';
import { clusterOptionsSchema, parseOptions, positiveMilliseconds } from '@mcr/core/provider';
import { z } from 'zod';

export interface KindProviderOptions {
  /** Only clusters whose names begin with this are members. Default: all. */
  readonly prefix?: string;
  /** How often Kind is asked which clusters there are, in milliseconds. Default: 2,000. */
  readonly pollInterval?: number;
  /** Name or path of the Kind program. Default: `kind`. */
  readonly binary?: string;
  /** What runs the containers. Default: what Kind finds; `docker` tells of changes at once. */
  readonly containerRuntime?: 'docker' | 'podman' | 'nerdctl';
  /** For every member: `cache`, `readYourWrites`, `logger` and so on, as for `createCluster`. Default: as the manager's. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Alters the configuration of every member, for example its user agent. */
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

/** @throws {TypeError} that names the option, when one is unknown or wrong. */
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
