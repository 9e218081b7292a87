import type { Aware, Cluster, ClusterName, ClusterObservation } from '@mcr/core';
import { createKindStandIn, type KindStandIn } from '@mcr/envtest';
import { createKindProvider, type KindProvider } from './kind-provider.ts';
import type { KindProviderOptions } from './options.ts';

/** Kind clusters, a running provider, and a record of its reports. */
export class Scene implements AsyncDisposable {
  readonly kind: KindStandIn;
  readonly engaged = new Map<ClusterName, Cluster>();
  readonly engagements: ClusterName[] = [];
  readonly reports: (ClusterObservation & { readonly name: ClusterName })[] = [];
  readonly #end = new AbortController();
  readonly #path = process.env['PATH'];
  #running: Promise<void> | undefined;

  private constructor(kind: KindStandIn) {
    this.kind = kind;
    process.env['PATH'] = kind.path;
  }

  static async open(): Promise<Scene> {
    return new Scene(await createKindStandIn());
  }

  readonly aware: Aware = {
    engage: async (name, cluster, signal) => {
      this.engagements.push(name);
      this.engaged.set(name, cluster);
      const onAbort = () => {
        if (this.engaged.get(name) === cluster) this.engaged.delete(name);
      };
      signal.addEventListener('abort', onAbort, { once: true });
    },
    report: (name, observation) => void this.reports.push({ name, ...observation }),
  };

  /** Runs a provider of these clusters until the scene closes. */
  run(options: KindProviderOptions = {}): KindProvider {
    const provider = createKindProvider({ pollInterval: 50, ...options });
    this.#running = provider.run(this.aware, this.#end.signal);
    this.#running.catch(() => undefined);
    return provider;
  }

  names(): string[] {
    return [...this.engaged.keys()].sort();
  }

  reasons(name: ClusterName): string[] {
    return this.reports.filter((report) => report.name === name).map(({ reason }) => reason);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    process.env['PATH'] = this.#path;
    await this.kind.stop();
  }
}
