import type { ClusterConfig, ClusterOptions } from '@mcr/core';
import { clusterOptionsSchema, dataKeySchema, labelKeySchema, namespaceSchema, parseOptions } from '@mcr/core/provider';
import { z } from 'zod';

export interface KubeconfigProviderOptions {
  /** The namespace of the hub that holds the Secrets. */
  readonly namespace: string;
  /** Only Secrets that have this label with the value `"true"` are read. Default: `sigs.k8s.io/multicluster-runtime-kubeconfig`. */
  readonly secretLabel?: string;
  /** The key within a Secret's data. Default: `kubeconfig`. */
  readonly secretKey?: string;
  /** Name of the controller that reads the Secrets, one of a kind in its manager. Default: `kubeconfig-provider`. */
  readonly controllerName?: string;
  /**
   * `untrusted` refuses what would let whoever can write a Secret run commands or read files where this process runs;
   * `trusted` allows it. Default: `untrusted`.
   */
  readonly policy?: 'trusted' | 'untrusted';
  /** For every member: `cache`, `readYourWrites`, `logger` and so on, as for `createCluster`. Default: as the manager's. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Alters the configuration of every member, for example its user agent. */
  readonly configure?: (config: ClusterConfig) => ClusterConfig;
}

const schema = z.strictObject({
  namespace: namespaceSchema,
  secretLabel: labelKeySchema.optional(),
  secretKey: dataKeySchema.optional(),
  controllerName: z.string().min(1).optional(),
  policy: z.enum(['trusted', 'untrusted']).optional(),
  clusterOptions: clusterOptionsSchema.optional(),
  configure: z.custom((value) => typeof value === 'function', 'expected a function of a ClusterConfig').optional(),
});

/** @throws {TypeError} that names the option, when one is missing, unknown or wrong. */
export function withDefaults(options: KubeconfigProviderOptions) {
  parseOptions('KubeconfigProvider', schema, options, '{ namespace: "fleet" }');
  return {
    namespace: options.namespace,
    secretLabel: options.secretLabel ?? 'sigs.k8s.io/multicluster-runtime-kubeconfig',
    secretKey: options.secretKey ?? 'kubeconfig',
    controllerName: options.controllerName ?? 'kubeconfig-provider',
    policy: options.policy ?? 'untrusted',
    clusterOptions: options.clusterOptions ?? {},
    configure: options.configure ?? ((config: ClusterConfig) => config),
  } as const;
}
