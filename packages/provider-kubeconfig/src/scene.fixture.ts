import type { Clock, Cluster, ClusterConfig, ClusterStatus, Manager, Provider } from '@mcr/core';
import { createCluster, createLogger, createManager, Namespace, Secret, systemClock } from '@mcr/core';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { createKubeconfigProvider } from './kubeconfig-provider.ts';

/** The namespace of the Secrets. */
export const NAMESPACE = 'fleet';
export const LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';

export const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A hub, with the access of its administrator, and two members. */
export class Hub {
  readonly config: ClusterConfig;
  readonly cluster: Cluster;
  readonly one: ControlPlane;
  readonly two: ControlPlane;
  readonly #fleet: ControlPlaneFleet;
  readonly #end = new AbortController();
  readonly #runs: Promise<void>;

  private constructor(fleet: ControlPlaneFleet) {
    const [one, two] = fleet.members;
    if (!one || !two) throw new Error('expected two members');
    [this.one, this.two] = [one, two];
    this.#fleet = fleet;
    this.config = fleet.hub.config;
    this.cluster = createCluster(this.config);
    this.#runs = this.cluster.run(this.#end.signal);
  }

  static async start(): Promise<Hub> {
    const hub = new Hub(await createControlPlaneFleet({ members: 2 }));
    await hub.cluster.client.create(Namespace, { metadata: { name: NAMESPACE } });
    return hub;
  }

  /** Creates a manager without starting it. Default: with a provider for the namespace, and the system clock. */
  async scene(options: { readonly provider?: Provider; readonly clock?: Clock } = {}): Promise<Scene> {
    const { provider = createKubeconfigProvider({ namespace: NAMESPACE }), clock = systemClock } = options;
    const lines: string[] = [];
    const manager = await createManager({
      clock,
      config: this.config,
      provider,
      metrics: { bindAddress: '0' },
      logger: createLogger({ level: 'debug', format: 'json', destination: { write: (line) => lines.push(line) } }),
    });
    return new Scene(this, { manager, provider, lines });
  }

  /** Creates a Secret with a kubeconfig. By default, the provider discovers its cluster. */
  async createSecret(
    name: string,
    kubeconfig: string,
    more: {
      readonly labels?: Record<string, string>;
      readonly namespace?: string;
      readonly finalizers?: string[];
      readonly key?: string;
    } = {},
  ): Promise<void> {
    const { labels = { [LABEL]: 'true' }, namespace = NAMESPACE, finalizers, key = 'kubeconfig' } = more;
    await this.cluster.client.create(Secret, {
      metadata: { name, namespace, labels, ...(finalizers && { finalizers }) },
      data: { [key]: base64(kubeconfig) },
    });
  }

  async patchSecret(name: string, patch: object): Promise<void> {
    await this.cluster.client.patch(Secret, { namespace: NAMESPACE, name }, patch, 'merge');
  }

  async deleteSecret(name: string, namespace = NAMESPACE): Promise<void> {
    await this.cluster.client.delete(Secret, { namespace, name });
  }

  async deleteSecrets(): Promise<void> {
    const secrets = await this.cluster.apiReader.list(Secret, { namespace: NAMESPACE });
    for (const { metadata } of secrets.items) await this.deleteSecret(metadata.name);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#runs;
    await this.#fleet.stop();
  }
}

/** A manager of the hub for one test. Disposing of it stops the manager. */
export class Scene implements AsyncDisposable {
  readonly manager: Manager;
  readonly provider: Provider;
  /** The log lines. */
  readonly lines: readonly string[];
  readonly #hub: Hub;
  readonly #end = new AbortController();
  #started: Promise<void> | undefined;

  constructor(hub: Hub, { manager, provider, lines }: Pick<Scene, 'manager' | 'provider' | 'lines'>) {
    this.#hub = hub;
    this.manager = manager;
    this.provider = provider;
    this.lines = lines;
  }

  /** Aborts when the scene stops. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  start(): void {
    this.#started = this.manager.start(this.signal);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Resolves with the status of a cluster as soon as `isExpected` accepts it. */
  async until(name: string, isExpected: (status: ClusterStatus) => boolean): Promise<ClusterStatus> {
    const left = new AbortController();
    const changes = this.manager.fleet.changes(left.signal);
    try {
      const now = this.manager.fleet.get(name);
      if (now && isExpected(now)) return now;
      for await (const status of changes) if (status.name === name && isExpected(status)) return status;
      throw new Error('unreachable: the changes end with the signal only');
    } finally {
      left.abort();
    }
  }

  engaged(name: string): Promise<ClusterStatus> {
    return this.until(name, ({ phase }) => phase === 'Engaged');
  }

  /** Waits until all Secrets were read. The provider reads them in order, so it creates a last one and waits for its cluster. */
  async everythingRead(): Promise<void> {
    await this.#hub.createSecret('marker', this.#hub.one.kubeconfig);
    await this.engaged('marker');
  }
}
