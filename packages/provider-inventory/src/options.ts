import type { Cluster, ClusterConfig, ClusterOptions, DeepReadonly } from '@mcr/core';
import {
  clusterOptionsSchema,
  labelValueSchema,
  namespaceSchema,
  nonNegativeMilliseconds,
  parseOptions,
  positiveMilliseconds,
} from '@mcr/core/provider';
import { z } from 'zod';
import type { AccessProviderConfig } from './access-providers.ts';
import { accessProvidersSchema } from './access-providers.ts';
import type { ClusterProfile } from './cluster-profile.ts';
import { isHealthy } from './readiness.ts';

/** How clusters are reached: in exactly one way. */
export type InventoryAccess =
  | {
      /**
       * Plugins that give credentials, by the names that profiles call them; or the path of a JSON file with them, which
       * is read whenever a profile is looked at. The first one that a profile names is used.
       */
      readonly accessProviders: readonly AccessProviderConfig[] | string;
      readonly secret?: never;
    }
  | {
      /** The kubeconfig of a cluster is in the Secret beside its profile that is labelled for this consumer. */
      readonly secret: { readonly consumerName: string };
      readonly accessProviders?: never;
    };

export type InventoryProviderOptions = InventoryAccess & {
  /** Only ClusterProfiles of this namespace. Default: of all. */
  readonly namespace?: string;
  /**
   * Whether a cluster can be connected to. Default: when its condition `ControlPlaneHealthy` is `True`, and `Joined`, if
   * it is there, is not `False`.
   */
  readonly isReady?: (profile: DeepReadonly<ClusterProfile>) => boolean;
  /** How long an engaged cluster that is not ready any more stays engaged, in milliseconds. Default: 60,000. */
  readonly unhealthyGrace?: number;
  /** A profile that is not ready, or cannot be used, is looked at again after this long, in milliseconds. Default: 10,000. */
  readonly requeueWhenNotReady?: number;
  /** Makes the clusters. Default: `createCluster`. */
  readonly newCluster?: (config: ClusterConfig, options: ClusterOptions) => Cluster;
  /** Name of the controller that reads the profiles, one of a kind in its manager. Default: `inventory-provider`. */
  readonly controllerName?: string;
  /** For every member: `cache`, `readYourWrites`, `logger` and so on, as for `createCluster`. Default: as the manager's. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Alters the configuration of every member, for example where its connections may lead. */
  readonly configure?: (config: ClusterConfig) => ClusterConfig;
};

const method = z.custom((value) => typeof value === 'function', 'expected a function');

const schema = z
  .strictObject({
    accessProviders: z.union([z.string().min(1), accessProvidersSchema]).optional(),
    secret: z
      .strictObject({
        consumerName: labelValueSchema,
      })
      .optional(),
    namespace: namespaceSchema.optional(),
    isReady: method.optional(),
    unhealthyGrace: nonNegativeMilliseconds.optional(),
    requeueWhenNotReady: positiveMilliseconds.optional(),
    newCluster: method.optional(),
    controllerName: z.string().min(1).optional(),
    clusterOptions: clusterOptionsSchema.optional(),
    configure: method.optional(),
  })
  .refine(
    ({ accessProviders, secret }) => (accessProviders === undefined) !== (secret === undefined),
    'set exactly one of the options "accessProviders" and "secret"',
  );

/** @throws {TypeError} that names the option, when one is missing, unknown or wrong. */
export function withDefaults(options: InventoryProviderOptions) {
  parseOptions('InventoryProvider', schema, options, '{ secret: { consumerName: ... } }');
  return {
    ...options,
    isReady: options.isReady ?? isHealthy,
    unhealthyGrace: options.unhealthyGrace ?? 60_000,
    requeueWhenNotReady: options.requeueWhenNotReady ?? 10_000,
    controllerName: options.controllerName ?? 'inventory-provider',
    scope: options.namespace === undefined ? {} : { namespaces: [options.namespace] },
  } as const;
}
