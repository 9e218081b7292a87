import type { Manager, ShardingOptions } from '@mcr/core';
import {
  createClient,
  createCluster,
  createManager,
  InMemoryProvider,
  silentLogger,
  ValidatingWebhookConfiguration,
} from '@mcr/core';
import type { VirtualClock } from '@mcr/core/testing';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { Cart } from '../admission/cart.fixture.ts';
import { webhookFor } from '../admission/kind-webhook.ts';
import { createWebhookServer } from '../server/webhook-server.ts';
import { installWebhooks } from './install-webhooks.ts';
import type { InstallWebhooksOptions } from './installation-options.ts';

/** Name of the configurations. */
export const NAME = 'carts.shop.example.com';

export interface ReplicaOptions {
  readonly fleet: ControlPlaneFleet;
  readonly clock: VirtualClock;
  readonly certDir: string;
  readonly sharding: Pick<ShardingOptions, 'name'>;
  readonly install: Pick<InstallWebhooksOptions, 'checkInterval' | 'removalDelay'>;
}

/** A replica of a sharded program. Its configurations have its own address, so that they say who wrote them. */
export class Replica implements AsyncDisposable {
  readonly id: string;
  readonly manager: Manager;
  readonly provider: InMemoryProvider;
  readonly #end = new AbortController();
  readonly #stopped: Promise<void>;

  private constructor(id: string, manager: Manager, provider: InMemoryProvider) {
    this.id = id;
    this.manager = manager;
    this.provider = provider;
    this.#stopped = manager.start(this.#end.signal);
  }

  static async start(id: string, { fleet, clock, certDir, sharding, install }: ReplicaOptions): Promise<Replica> {
    const provider = new InMemoryProvider({ clock });
    const manager = await createManager({
      config: fleet.hub.config,
      provider,
      clock,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
      sharding: { ...sharding, namespace: 'default', replicaId: id },
    });
    const server = await createWebhookServer(manager, {
      certificate: { certDir },
      bindAddress: '127.0.0.1:0',
      drainDelay: 0,
    });
    server.register(webhookFor(Cart).validate({ create: () => undefined }));
    await installWebhooks(manager, server, {
      name: NAME,
      url: `https://${id}.example.com`,
      owner: 'carts',
      clusters: { local: true, provider: true },
      failurePolicy: 'Ignore',
      ...install,
    });
    const replica = new Replica(id, manager, provider);
    for (const plane of fleet.members) replica.join(plane);
    return replica;
  }

  join({ name, config }: ControlPlane): void {
    const { clock } = this.manager;
    this.provider.set(name, () => createCluster(config, { name, clock }));
  }

  /** Whether this replica owns a cluster. One that has left the fleet keeps its owner. */
  owns(name: string): boolean {
    return this.manager.ownership?.stateOf(name) === 'active';
  }

  /** Begins to stop. */
  stop(): Promise<void> {
    this.#end.abort();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** The changes of the configuration of one cluster: the replica that wrote it, or `deleted`. */
export class Journal implements AsyncDisposable {
  readonly entries: string[] = [];
  readonly #end = new AbortController();
  readonly #stopped: Promise<void>;

  constructor(plane: ControlPlane) {
    this.#stopped = this.#follow(plane);
  }

  async #follow(plane: ControlPlane): Promise<void> {
    const { signal } = this.#end;
    const client = createClient(plane.config);
    try {
      for await (const { type, object } of client.watch(ValidatingWebhookConfiguration, { signal })) {
        if (type === 'BOOKMARK' || type === 'ERROR' || object.metadata.name !== NAME) continue;
        const [webhook] = object.webhooks ?? [];
        const author = /\/\/(?<id>[^.]+)/u.exec(webhook?.clientConfig.url ?? '')?.groups?.['id'];
        this.entries.push(type === 'DELETED' ? 'deleted' : (author ?? 'nobody'));
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await client[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#stopped;
  }
}
