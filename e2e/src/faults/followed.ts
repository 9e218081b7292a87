import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, Cluster, ConfigMap as ConfigMapObject, DeepReadonly, Informer } from '@mcr/core';
import { ConfigMap, createClient, createCluster } from '@mcr/core';
import { VirtualClock } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createFaultProxy, type FaultProxy } from '@mcr/envtest';
import { until } from '../until.ts';
import { RecordingLogger } from './recording-logger.ts';

/**
 * A control plane behind a fault proxy, and a cluster that watches its ConfigMaps through the proxy, in virtual time.
 */
export class Followed implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly log = new RecordingLogger();
  readonly proxy: FaultProxy;
  readonly cluster: Cluster;
  /** A client that bypasses the proxy. */
  readonly direct: ApiClient;
  /**
   * Events of the informer: `+name` (added), `name` (updated), `-name` (deleted), `-name?` (deleted, final state
   * unknown).
   */
  readonly events: string[] = [];
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  #informer: Informer<ConfigMapObject> | undefined;

  private constructor(plane: ControlPlane, proxy: FaultProxy) {
    this.proxy = proxy;
    this.direct = createClient(plane.config);
    this.cluster = createCluster(proxy.config, { clock: this.clock, logger: this.log });
    this.#running = this.cluster.run(this.#end.signal);
  }

  /** @param options.before prepares the proxy before the first connection. */
  static async start(
    plane: ControlPlane,
    { before }: { readonly before?: (proxy: FaultProxy) => void } = {},
  ): Promise<Followed> {
    const proxy = await createFaultProxy({ target: plane.config });
    before?.(proxy);
    const followed = new Followed(plane, proxy);
    followed.#informer = await followed.cluster.cache.informer(ConfigMap);
    followed.#informer.addHandler({
      onAdd: ({ key }) => void followed.events.push(`+${key.name}`),
      onUpdate: ({ key }) => void followed.events.push(key.name),
      onDelete: ({ key, finalStateUnknown }) =>
        void followed.events.push(`-${key.name}${finalStateUnknown ? '?' : ''}`),
    });
    return followed;
  }

  get informer(): Informer<ConfigMapObject> {
    if (!this.#informer) throw new Error('followed cluster: not started');
    return this.#informer;
  }

  /** Advances the clock, a second at a time, until `condition` holds. */
  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    await until(async () => {
      if (await condition()) return true;
      await this.clock.advance(1_000);
      return false;
    });
  }

  /** Advances the clock by `duration` ms, in steps in which the server answers. */
  async passes(duration: number): Promise<void> {
    for (let left = duration; left > 0; left -= 5_000) {
      await this.clock.advance(Math.min(left, 5_000));
      await this.cluster.apiReader.list(ConfigMap, { limit: 1 });
    }
  }

  /** Like {@link passes}, for a server that does not answer. */
  async passesUnheard(duration: number): Promise<void> {
    for (let left = duration; left > 0; left -= 5_000) await this.clock.advance(Math.min(left, 5_000));
  }

  /**
   * Advances the clock by `duration` ms, then stops it and waits until `condition` holds: only the server still has
   * work to do.
   */
  async within(duration: number, condition: () => boolean | Promise<boolean>): Promise<void> {
    for (let left = duration; left > 0; left -= 500) {
      await this.clock.advance(Math.min(left, 500));
      await delay(50);
    }
    await until(condition);
  }

  async equalsServer(): Promise<boolean> {
    const { items } = await this.direct.list(ConfigMap);
    return String(items.map(identity).sort()) === String(this.informer.store.list().map(identity).sort());
  }

  put(name: string, data: Readonly<Record<string, string>> = {}): Promise<unknown> {
    return this.direct.create(ConfigMap, { metadata: { namespace: 'default', name }, data });
  }

  delete(name: string): Promise<void> {
    return this.direct.delete(ConfigMap, { namespace: 'default', name });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#running;
    await this.direct.deleteCollection(ConfigMap, { namespace: 'default' });
    await this.direct.close();
    await this.proxy.stop();
  }
}

function identity({ metadata }: DeepReadonly<ConfigMapObject>): string {
  return `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`;
}
