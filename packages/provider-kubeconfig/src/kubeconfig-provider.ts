import { createHash } from 'node:crypto';
import type {
  Aware,
  Cluster,
  ClusterName,
  DeepReadonly,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Manager,
  Provider,
  Request,
} from '@mcr/core';
import {
  enqueueRequestForObject,
  funcSource,
  kindSource,
  LOCAL_CLUSTER,
  newController,
  parseKubeconfig,
  Roster,
  Secret,
  untilAborted,
} from '@mcr/core';
import type { KubeconfigProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';

/** A cluster that stopped by itself, or that somebody refused, is made again after this long, in milliseconds. */
const UNTIL_MADE_AGAIN = 5_000;

/**
 * Makes a cluster of every labelled Secret in one namespace of the hub, from the kubeconfig that it holds. The cluster
 * has the Secret's name. (Upstream: `providers/kubeconfig`.)
 */
export class KubeconfigProvider implements Provider {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #roster: Roster;
  #manager: Manager | undefined;
  /** Has a Secret looked at. */
  #look: (name: ClusterName, after?: number) => void = () => undefined;

  /** @throws {TypeError} that names the option, when one is missing, unknown or wrong. */
  constructor(options: KubeconfigProviderOptions) {
    this.#options = withDefaults(options);
    const { clusterOptions, configure } = this.#options;
    this.#roster = new Roster({ clusterOptions, configure, onLost: (name) => this.#look(name, UNTIL_MADE_AGAIN) });
  }

  async get(name: ClusterName): Promise<Cluster> {
    return this.#roster.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.#roster.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#roster.indexField(kind, name, extract);
  }

  /**
   * Adds the controller that reads the Secrets. The manager does this by itself when it starts; a second time changes
   * nothing.
   *
   * @throws {TypeError} when the provider serves another manager, or the controller's name is taken.
   */
  async setupWithManager(manager: Manager): Promise<void> {
    if (this.#manager === manager) return;
    if (this.#manager) throw new TypeError('this KubeconfigProvider serves another manager: make one for each');
    const { controllerName, namespace } = this.#options;
    const controller = newController(controllerName, manager, {
      // It runs as long as the provider does, which may be before this process leads.
      needLeaderElection: false,
      reconciler: (request) => this.#reconcile(request, manager),
    });
    const clusterFilter = (name: ClusterName) => name === LOCAL_CLUSTER;
    controller.watch(kindSource(Secret, enqueueRequestForObject(), { ...this.#scope, clusterFilter }));
    controller.watch(
      funcSource(({ queue }) => {
        this.#look = (name, after = 0) => queue.add({ clusterName: LOCAL_CLUSTER, namespace, name }, { after });
      }),
    );
    await manager.add({
      group: 'provider',
      engage: (...engagement) => controller.engage(...engagement),
      run: (signal) => controller.run(signal),
    });
    this.#manager = manager;
  }

  /** @throws {TypeError} without a manager: the Secrets are in its local cluster. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    const manager = this.#manager;
    if (!manager) throw new TypeError('KubeconfigProvider: give it to a manager, or call setupWithManager');
    this.#roster.open(aware, signal, manager);
    try {
      // What the controller was told of before, nobody could be told of.
      const { store } = await manager.localManager.cluster.cache.informer(Secret, this.#scope);
      for (const { metadata } of store.list()) this.#look(metadata.name);
      await untilAborted(signal);
    } finally {
      await this.#roster.close();
    }
  }

  /** The server selects: no other Secret of the hub is ever sent here. */
  get #scope() {
    const { namespace, secretLabel } = this.#options;
    return { namespaces: [namespace], labelSelector: `${secretLabel}=true` };
  }

  async #reconcile({ name }: Request, manager: Manager): Promise<void> {
    if (!this.#roster.isOpen) return;
    const { namespace, secretKey } = this.#options;
    const { store } = await manager.localManager.cluster.cache.informer(Secret, this.#scope);
    const secret = store.get({ namespace, name });

    if (!secret) {
      this.#roster.remove(name, `its Secret ${namespace}/${name} was deleted, or has lost its label`);
    } else if (secret.metadata.deletionTimestamp !== undefined) {
      this.#roster.remove(name, `its Secret ${namespace}/${name} is being deleted`);
    } else {
      const encoded = secret.data?.[secretKey];
      if (encoded === undefined) this.#withoutKey(name);
      else this.#admit(name, secret, Buffer.from(encoded, 'base64'));
    }
  }

  /** The key was taken out on purpose: that is no slip of the pen. */
  #withoutKey(name: ClusterName): void {
    const { namespace, secretKey } = this.#options;
    const reason = `its Secret ${namespace}/${name} has no key ${JSON.stringify(secretKey)}`;
    if (this.#roster.has(name)) this.#roster.postpone(name, reason);
    else this.#roster.refuse(name, new Error(reason));
  }

  #admit(name: ClusterName, { apiVersion, kind, metadata }: DeepReadonly<Secret>, bytes: Buffer): void {
    const labels = { ...metadata.labels };
    this.#roster.admit(name, {
      // The labels are the cluster's, too: controllers choose clusters by them.
      digest: createHash('sha256').update(bytes).update(JSON.stringify(labels)).digest('hex'),
      config: () => this.#configOf(bytes),
      info: { provider: 'kubeconfig', labels, origin: { apiVersion, kind, metadata } },
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
