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

/** How many kubeconfigs are asked for at once. */
const QUESTIONS = 16;

/** Makes a cluster of every Kind cluster on this machine, under its name. (Upstream: `providers/kind`.) */
export class KindProvider extends BaseProvider {
  readonly #options: ReturnType<typeof withDefaults>;
  /** What Kind last said that there is. */
  #listed: ReadonlySet<ClusterName> = new Set();
  /** The clusters whose kubeconfigs are being asked for. One that hangs makes no other wait. */
  readonly #asking = new Map<ClusterName, Promise<void>>();
  readonly #limit = pLimit(QUESTIONS);

  /** @throws {TypeError} that names the option, when one is unknown or wrong. */
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
    // As Kind does, an empty variable counts as none.
    const engine = containerRuntime ?? (process.env['KIND_EXPERIMENTAL_PROVIDER'] || 'docker');
    const listening = listenToContainers({ engine, clock, onEvent: () => woken.resolve() }, life);
    let hasAnswered = false;
    let trouble: string | undefined;
    try {
      while (!life.aborted) {
        woken = Promise.withResolvers();
        try {
          this.#take(await kind.clusters(life), kind, life);
          this.inventoryRead({ binary, prefix });
          hasAnswered = true;
          trouble = undefined;
        } catch (error) {
          if (!hasAnswered && isKindError(error) && error.failure === 'missing') throw error;
          const { message } = error as Error;
          if (!signal.aborted && message !== trouble) {
            this.log.warn('failed to list kind clusters, keeping the fleet', { error });
          }
          trouble = message;
        }
        await within(woken.promise, { clock, pollInterval, signal: life });
      }
    } finally {
      end.abort();
      await Promise.all([listening, ...this.#asking.values()]);
    }
  }

  /** Takes note of which clusters there are, and asks how to reach each. Waits for nothing. */
  #take(names: readonly ClusterName[], kind: KindBinary, signal: AbortSignal): void {
    this.#listed = new Set(names.filter((name) => name.startsWith(this.#options.prefix)));
    for (const name of this.clusters.names()) {
      if (!this.#listed.has(name)) this.clusters.remove(name, 'Kind has no cluster of this name any more');
    }
    for (const name of this.#listed) {
      if (this.#asking.has(name)) continue;
      const asked = this.#limit(() => this.#ask(name, kind, signal)).finally(() => this.#asking.delete(name));
      this.#asking.set(name, asked);
    }
  }

  /** Asked at every poll: that a cluster was made anew under its name shows in its kubeconfig only. */
  async #ask(name: ClusterName, kind: KindBinary, signal: AbortSignal): Promise<void> {
    const answer = await kind.kubeconfig(name, signal).catch((error: unknown) => error as Error);
    if (signal.aborted || !this.#listed.has(name)) return;
    if (typeof answer === 'string') {
      this.clusters.set(name, {
        digest: createHash('sha256').update(answer).digest('hex'),
        config: () => parseKubeconfig(answer, { policy: 'untrusted' }),
        info: { provider: 'kind' },
      });
    } else if (this.clusters.has(name)) {
      // Its containers have stopped, perhaps for a moment: it is gone once Kind does not list it any more.
      this.clusters.refuse(name, answer);
    } else {
      this.clusters.postpone(name, `it is starting, or does not run: ${answer.message}`);
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
