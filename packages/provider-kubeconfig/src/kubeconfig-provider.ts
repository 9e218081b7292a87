import { createHash } from 'node:crypto';
import type { ClusterName, DeepReadonly, ObjectKey, ReconcileRequest } from '@mcr/core';
import { parseKubeconfig, Secret } from '@mcr/core';
import { HubProvider, infoOf, secretValue } from '@mcr/core/provider';
import type { KubeconfigProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';

/**
 * Discovers a cluster for every labelled Secret in one namespace of the hub, from the kubeconfig in the Secret. The cluster
 * has the Secret's name. (Upstream: `providers/kubeconfig`.)
 */
export class KubeconfigProvider extends HubProvider {
  readonly #options: ReturnType<typeof withDefaults>;
  /** The API server selects the Secrets: the provider does not receive any other Secret of the hub. */
  readonly #scope: { readonly namespaces: readonly string[]; readonly labelSelector: string };

  /** @throws {TypeError} if an option is missing, unknown or invalid; the message names it. */
  constructor(options: KubeconfigProviderOptions) {
    const defaulted = withDefaults(options);
    super(defaulted);
    this.#options = defaulted;
    this.#scope = { namespaces: [defaulted.namespace], labelSelector: `${defaulted.secretLabel}=true` };
    this.watchInventory(Secret, this.#scope);
  }

  protected nameOf({ name }: ObjectKey): ClusterName {
    return name;
  }

  protected async reconcile({ name }: ReconcileRequest): Promise<void> {
    const { namespace, secretKey } = this.#options;
    const { store } = await this.hub.cache.informer(Secret, this.#scope);
    const secret = store.get({ namespace, name });

    if (!secret) {
      this.clusters.remove(name, `its Secret ${namespace}/${name} was deleted, or has lost its label`);
    } else if (secret.metadata.deletionTimestamp !== undefined) {
      this.clusters.remove(name, `its Secret ${namespace}/${name} is being deleted`);
    } else {
      const bytes = secretValue(secret, secretKey);
      if (bytes === undefined) this.#keyMissing(name);
      else this.#set(name, secret, bytes);
    }
  }

  /** Disengages the cluster: unlike an invalid kubeconfig, a missing key was removed deliberately. */
  #keyMissing(name: ClusterName): void {
    const { namespace, secretKey } = this.#options;
    const reason = `its Secret ${namespace}/${name} has no key ${JSON.stringify(secretKey)}`;
    if (this.clusters.has(name)) this.clusters.postpone(name, reason);
    else this.clusters.refuse(name, new Error(reason));
  }

  #set(name: ClusterName, secret: DeepReadonly<Secret>, bytes: Buffer): void {
    this.clusters.set(name, {
      digest: createHash('sha256').update(bytes).digest('hex'),
      // Keeps the Secret, which the cache holds anyway, and not its decoded bytes.
      config: () => this.#configOf(secret),
      info: infoOf(secret, { provider: 'kubeconfig' }),
    });
  }

  #configOf(secret: DeepReadonly<Secret>) {
    const text = secretValue(secret, this.#options.secretKey)?.toString('utf8') ?? '';
    try {
      return parseKubeconfig(text, { policy: this.#options.policy });
    } catch (cause) {
      throw new Error(`the kubeconfig in its Secret cannot be used: ${(cause as Error).message}`, { cause });
    }
  }
}

/**
 * Creates a provider for clusters whose kubeconfigs are in labelled Secrets of the hub.
 *
 * @throws {TypeError} if an option is missing, unknown or invalid; the message names it.
 */
export function createKubeconfigProvider(options: KubeconfigProviderOptions): KubeconfigProvider {
  return new KubeconfigProvider(options);
}
