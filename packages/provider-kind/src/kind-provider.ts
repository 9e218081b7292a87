import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import type { Clock, ClusterName } from '@mcr/core';
import { parseKubeconfig, sleep } from '@mcr/core';
import { BaseProvider } from '@mcr/core/provider';
import { listenToContainers } from './container-events.ts';
import { createKindBinary, type KindBinary } from './kind-binary.ts';
import { isKindError } from './kind-error.ts';
import type { KindProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';

/** Maximum number of concurrent kubeconfig queries. */
const MAX_QUERIES = 16;

/** Discovers every Kind cluster on this machine, under its name. (Upstream: `providers/kind`.) */
export class KindProvider extends BaseProvider {
  readonly #options: ReturnType<typeof withDefaults>;
  /** The clusters of the last poll. */
  #listed: ReadonlySet<ClusterName> = new Set();
  /** The running kubeconfig queries. One that hangs does not delay others. */
  readonly #queries = new Map<ClusterName, Promise<void>>();
  readonly #limit = pLimit(MAX_QUERIES);

  /** @throws {TypeError} if an option is unknown or invalid; the message names it. */
  constructor(options: KindProviderOptions = {}) {
    const defaulted = withDefaults(options);
    super(defaulted);
    this.#options = defaulted;
  }

  /** @throws {KindError} if the `kind` program is missing. */
  protected async discover(signal: AbortSignal): Promise<void> {
    const { binary, containerRuntime, pollInterval, prefix } = this.#options;
    const { clock } = this;
    const end = new AbortController();
    const life = AbortSignal.any([signal, end.signal]);
    const kind = createKindBinary({ binary, clock, ...(containerRuntime && { containerRuntime }) });

    let woken = Promise.withResolvers<void>();
    // An empty variable is ignored, like in Kind.
    const engine = containerRuntime ?? (process.env['KIND_EXPERIMENTAL_PROVIDER'] || 'docker');
    const listening = listenToContainers({ engine, clock, onEvent: () => woken.resolve() }, life);
    let hasAnswered = false;
    let problem: string | undefined;
    try {
      while (!life.aborted) {
        woken = Promise.withResolvers();
        try {
          this.#update(await kind.clusters(life), kind, life);
          this.inventoryRead({ binary, prefix });
          hasAnswered = true;
          problem = undefined;
        } catch (error) {
          if (!hasAnswered && isKindError(error) && error.failure === 'missing') throw error;
          const { message } = error as Error;
          if (!signal.aborted && message !== problem) {
            this.log.warn('failed to list kind clusters, keeping the fleet', { error });
          }
          problem = message;
        }
        await within(woken.promise, { clock, pollInterval, signal: life });
      }
    } finally {
      end.abort();
      await Promise.all([listening, ...this.#queries.values()]);
    }
  }

  /** Removes deleted clusters, and queries the kubeconfigs of the others in the background. */
  #update(names: readonly ClusterName[], kind: KindBinary, signal: AbortSignal): void {
    this.#listed = new Set(names.filter((name) => name.startsWith(this.#options.prefix)));
    for (const name of this.clusters.names()) {
      if (!this.#listed.has(name)) this.clusters.remove(name, 'Kind no longer has a cluster of this name');
    }
    for (const name of this.#listed) {
      if (this.#queries.has(name)) continue;
      const query = this.#limit(() => this.#query(name, kind, signal)).finally(() => this.#queries.delete(name));
      this.#queries.set(name, query);
    }
  }

  /** Reads the kubeconfig at every poll: only this shows that a cluster was recreated under its name. */
  async #query(name: ClusterName, kind: KindBinary, signal: AbortSignal): Promise<void> {
    const answer = await kind.kubeconfig(name, signal).catch((error: unknown) => error as Error);
    if (signal.aborted || !this.#listed.has(name)) return;
    if (typeof answer === 'string') {
      this.clusters.set(name, {
        digest: createHash('sha256').update(answer).digest('hex'),
        config: () => parseKubeconfig(answer, { policy: 'untrusted' }),
        info: { provider: 'kind' },
      });
    } else if (this.clusters.has(name)) {
      // Its containers may have stopped for a moment. It is removed when Kind no longer lists it.
      this.clusters.refuse(name, answer);
    } else {
      this.clusters.postpone(name, `it is starting or stopped: ${answer.message}`);
    }
  }
}

/** Resolves with `promise`, after the interval, or when `signal` aborts. */
async function within(
  promise: Promise<void>,
  {
    clock,
    pollInterval,
    signal,
  }: { readonly clock: Clock; readonly pollInterval: number; readonly signal: AbortSignal },
): Promise<void> {
  const done = new AbortController();
  const elapsed = sleep(clock, pollInterval, AbortSignal.any([signal, done.signal])).catch(() => undefined);
  await Promise.race([promise, elapsed]);
  done.abort();
}

/**
 * Creates a provider for the Kind clusters of this machine.
 *
 * @throws {TypeError} if an option is missing, unknown or invalid; the message names it.
 */
export function createKindProvider(options: KindProviderOptions = {}): KindProvider {
  return new KindProvider(options);
}
