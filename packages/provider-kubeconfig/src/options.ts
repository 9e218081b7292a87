import type { ClusterConfig, ClusterOptions } from '@mcr/core';
import { clusterOptionsSchema, dataKeySchema, labelKeySchema, namespaceSchema, parseOptions } from '@mcr/core/provider';
import * as z from 'zod';

/** Default label of the Secrets. */
export const SECRET_LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';
/** Default key of the kubeconfig in a Secret. */
export const SECRET_KEY = 'kubeconfig';

export interface KubeconfigProviderOptions {
  /** Namespace of the Secrets in the hub. */
  readonly namespace: string;
  /** Label that selects the Secrets, with the value `"true"`. Default: `sigs.k8s.io/multicluster-runtime-kubeconfig`. */
  readonly secretLabel?: string;
  /** Key of the kubeconfig in a Secret's data. Default: `kubeconfig`. */
  readonly secretKey?: string;
  /** Name of the controller that reads the Secrets. Unique in its manager. Default: `kubeconfig-provider`. */
  readonly controllerName?: string;
  /**
   * With `untrusted`, kubeconfigs that name commands to run or files to read are refused. With `trusted`, everyone who can
   * write the Secrets can run commands and read files as this process. Default: `untrusted`.
   */
  readonly policy?: 'trusted' | 'untrusted';
  /** Options of every member: `cache`, `readYourWrites`, `logger` and so on, as for `createCluster`. Default: those of the manager. */
  readonly clusterOptions?: Omit<ClusterOptions, 'name' | 'info'>;
  /** Changes the configuration of every member, for example its user agent. */
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

/** @throws {TypeError} if an option is missing, unknown or invalid; the message names it. */
export function withDefaults(options: KubeconfigProviderOptions) {
  parseOptions('KubeconfigProvider', schema, options, '{ namespace: "fleet" }');
  return {
    namespace: options.namespace,
    secretLabel: options.secretLabel ?? SECRET_LABEL,
    secretKey: options.secretKey ?? SECRET_KEY,
    controllerName: options.controllerName ?? 'kubeconfig-provider',
    policy: options.policy ?? 'untrusted',
    clusterOptions: options.clusterOptions ?? {},
    configure: options.configure ?? ((config: ClusterConfig) => config),
  } as const;
}
