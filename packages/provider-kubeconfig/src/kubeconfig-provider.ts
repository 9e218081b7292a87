import { createHash } from 'node:crypto';
import type {
  Aware,
  Cluster,
  ClusterName,
  DeepReadonly,
  HubContext,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Manager,
  Provider,
  Request,
} from '@mcr/core';
import {
  enqueueRequestForObject,
  HubInventory,
  infoOf,
  kindSource,
  parseKubeconfig,
  Secret,
  secretValue,
} from '@mcr/core';
import type { KubeconfigProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';

/**
 * Makes a cluster of every labelled Secret in one namespace of the hub, from the kubeconfig that it holds. The cluster
 * has the Secret's name. (Upstream: `providers/kubeconfig`.)
 */
export class KubeconfigProvider implements Provider {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #inventory: HubInventory;

  /** @throws {TypeError} that names the option, when one is missing, unknown or wrong. */
  constructor(options: KubeconfigProviderOptions) {
    this.#options = withDefaults(options);
    const { controllerName, clusterOptions, configure } = this.#options;
    this.#inventory = new HubInventory({
      provider: 'KubeconfigProvider',
      controllerName,
      clusterOptions,
      configure,
      nameOf: ({ name }) => name,
      look: (request, context) => this.#look(request, context),
    });
    this.#inventory.watch(kindSource(Secret, enqueueRequestForObject(), this.#scope));
  }

  async get(name: ClusterName): Promise<Cluster> {
    return this.#inventory.roster.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.#inventory.roster.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#inventory.roster.indexField(kind, name, extract);
  }

  /**
   * Adds the controller that reads the Secrets. The manager does this by itself when it starts; a second time changes
   * nothing.
   *
   * @throws {TypeError} if another manager uses the provider, or the controller's name is taken.
   */
  async setupWithManager(manager: Manager): Promise<void> {
    await this.#inventory.setupWithManager(manager);
  }

  /** @throws {TypeError} without a manager: the Secrets are in its local cluster. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await this.#inventory.run(aware, signal);
  }

  /** The server selects: no other Secret of the hub is ever sent here. */
  get #scope() {
    const { namespace, secretLabel } = this.#options;
    return { namespaces: [namespace], labelSelector: `${secretLabel}=true` };
  }

  async #look({ name }: Request, { hub }: HubContext): Promise<void> {
    const { namespace, secretKey } = this.#options;
    const { store } = await hub.cache.informer(Secret, this.#scope);
    const secret = store.get({ namespace, name });

    if (!secret) {
      this.#inventory.roster.remove(name, `its Secret ${namespace}/${name} was deleted, or has lost its label`);
    } else if (secret.metadata.deletionTimestamp !== undefined) {
      this.#inventory.roster.remove(name, `its Secret ${namespace}/${name} is being deleted`);
    } else {
      const bytes = secretValue(secret, secretKey);
      if (bytes === undefined) this.#withoutKey(name);
      else this.#admit(name, secret, bytes);
    }
  }

  /** The key was taken out on purpose: that is no slip of the pen. */
  #withoutKey(name: ClusterName): void {
    const { namespace, secretKey } = this.#options;
    const reason = `its Secret ${namespace}/${name} has no key ${JSON.stringify(secretKey)}`;
    if (this.#inventory.roster.has(name)) this.#inventory.roster.postpone(name, reason);
    else this.#inventory.roster.refuse(name, new Error(reason));
  }

  #admit(name: ClusterName, secret: DeepReadonly<Secret>, bytes: Buffer): void {
    this.#inventory.roster.admit(name, {
      digest: createHash('sha256').update(bytes).digest('hex'),
      config: () => this.#configOf(bytes),
      info: infoOf(secret, { provider: 'kubeconfig' }),
    });
  }

  #configOf(bytes: Buffer) {
    try {
      return parseKubeconfig(bytes.toString('utf8'), { policy: this.#options.policy });
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
