import { getEventListeners } from 'node:events';
import type { Aware, Cluster, ClusterName, IndexExtractor, Kind, KubernetesObject, Manager, Provider } from '@mcr/core';
import type { Ledger } from './ledger.ts';

/** Wraps the provider under test for the manager: passes every call on, and observes `run`. */
export class ObservedProvider implements Provider {
  readonly #provider: Provider;
  readonly #ledger: Ledger;
  #round: { readonly end: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(provider: Provider, ledger: Ledger) {
    this.#provider = provider;
    this.#ledger = ledger;
  }

  get(name: ClusterName): Promise<Cluster> {
    return this.#provider.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.#provider.clusterNames?.() ?? [];
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#provider.indexField(kind, name, extract);
  }

  async setupWithManager(manager: Manager): Promise<void> {
    await this.#provider.setupWithManager?.(manager);
  }

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    const between = this.#ledger.between(aware);
    while (!signal.aborted) {
      const end = new AbortController();
      const onAbort = () => end.abort(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      const ended = this.#runOnce(between, end.signal);
      this.#round = { end, ended };
      await ended.finally(() => signal.removeEventListener('abort', onAbort));
    }
  }

  /** Ends `run` and calls it again. Resolves once the first call has ended. */
  async runAgain(): Promise<void> {
    this.#round?.end.abort(new DOMException('the provider is run again', 'AbortError'));
    await this.#round?.ended;
  }

  async #runOnce(aware: Aware, signal: AbortSignal): Promise<void> {
    const { violations } = this.#ledger;
    await this.#provider.run?.(aware, signal);
    if (!signal.aborted) {
      violations.push('run() resolved before its signal aborted');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }
    const left = this.#ledger.live.map(({ name }) => name);
    if (left.length > 0) violations.push(`run() resolved while ${left.join(', ')} had not been disengaged`);
    const listeners = getEventListeners(signal, 'abort').length;
    if (listeners > 0) violations.push(`run() left ${listeners} abort listeners on its signal`);
    const names = this.clusterNames();
    if (names.length > 0) violations.push(`clusterNames() returned ${names.join(', ')} after run() had ended`);
  }
}
