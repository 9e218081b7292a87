import type { Cluster, ClusterConfig, ClusterOptions, DeepReadonly } from '@mcr/core';
import {
  clusterOptionsSchema,
  labelValueSchema,
  namespaceSchema,
  nonNegativeMilliseconds,
  parseOptions,
  positiveMilliseconds,
} from '@mcr/core/provider';
import * as z from 'zod';
import type { AccessProviderConfig } from './access-providers.ts';
import { accessProvidersSchema } from './access-providers.ts';
import type { ClusterProfile } from './cluster-profile.ts';
import { isHealthy } from './readiness.ts';

/** How to reach clusters: exactly one of the options. */
export type InventoryAccess =
  | {
      /**
       * Credential plugins, by the names of access providers in profiles, or the path of a JSON file, which is read at each
       * reconcile of a profile. The first one that a profile has is used.
       */
      readonly accessProviders: readonly AccessProviderConfig[] | string;
      readonly secret?: never;
    }
  | {
      /** Consumer whose label selects the kubeconfig Secret in the namespace of a profile. */
      readonly secret: { readonly consumerName: string };
      readonly accessProviders?: never;
    };

export type InventoryProviderOptions = InventoryAccess & {
  /** Namespace of the ClusterProfiles. Default: all namespaces. */
  readonly namespace?: string;
  /**
   * Whether to connect to a cluster. Default: whether its condition `ControlPlaneHealthy` is `True` and its condition
   * `Joined`, if present, is not `False`.
   */
  readonly isReady?: (profile: DeepReadonly<ClusterProfile>) => boolean;
  /** How long an engaged cluster stays engaged after it became unready, in milliseconds. Default: 60,000. */
  readonly unhealthyGrace?: number;
  /** Delay before a profile that is not ready or invalid is reconciled again, in milliseconds. Default: 10,000. */
  readonly requeueWhenNotReady?: number;
  /** Creates the clusters. Default: `createCluster`. */
  readonly newCluster?: (config: ClusterConfig, options: ClusterOptions) => Cluster;
  /** Name of the controller that reads the profiles. Unique in its manager. Default: `inventory-provider`. */
  readonly controllerName?: string;
  /** Options of every member: `cache`, `readYourWrites`, `logger` and so on, as for `createCluster`. Default: those of the manager. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Changes the configuration of every member, for example the endpoints that it may connect to. */
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

/** @throws {TypeError} if an option is missing, unknown or invalid; the message names it. */
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
