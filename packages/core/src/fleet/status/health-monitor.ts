import type { Clock, TransportErrorCode } from '@mcr/client';
import { isTransportError, isUnauthorized, sleep } from '@mcr/client';
import type { Cluster } from '../cluster/cluster.ts';
import { Lifetime } from '../clusters/lifetime.ts';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { FleetRecorder } from './fleet.ts';
import { INITIAL, transition } from './reachability.ts';

export interface HealthMonitorOptions {
  readonly recorder: Pick<FleetRecorder, 'healthy' | 'reachable' | 'unreachable'>;
  /** Called when a cluster becomes unreachable, with the failure. */
  readonly onUnreachable: (name: ClusterName, cluster: Cluster, error: Error) => void;
  readonly clock: Clock;
  /** A number in [0, 1), for the jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

/** After a {@link isDefinite} failure: from the end of a check to the start of the next, in milliseconds. */
const SHORT_PERIOD = 2_000;

/** Interval from the start of one check of a cluster to the start of the next, in milliseconds. */
const PERIOD = 10_000;

/** Deadline of one check, in milliseconds: five that fail in a row end within 55 s of the cluster's last answer. */
const TIMEOUT = 5_000;

/** Checks the health of every engaged cluster periodically, each independently of the others. */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  readonly #watches = new Set<{ readonly lifetime: Lifetime; readonly begin: () => void }>();
  #isRunning = false;

  constructor(options: HealthMonitorOptions) {
    this.#options = options;
  }

  /** @param signal aborts at the end of the engagement, and ends the checks. */
  watch(name: ClusterName, cluster: Cluster, signal: AbortSignal): void {
    const lifetime = new Lifetime(signal);
    const begin = () => void this.#watch(name, cluster, lifetime.signal);
    const watch = { lifetime, begin };
    this.#watches.add(watch);
    lifetime.signal.addEventListener('abort', () => this.#watches.delete(watch), { once: true });
    if (this.#isRunning) begin();
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    for (const { begin } of this.#watches) begin();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#isRunning = false;
    for (const { lifetime } of this.#watches) lifetime.end('the manager stops');
  }

  async #watch(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void> {
    const { recorder, onUnreachable, clock, random = Math.random } = this.#options;
    const isOver = () => signal.aborted;
    let health = INITIAL;
    // The first check starts at a random time within the period, because many clusters may be engaged at the same time.
    let start = clock.now() + PERIOD * random();
    for (;;) {
      await sleep(clock, start - clock.now(), signal).catch(() => undefined);
      if (isOver()) return;
      start = clock.now() + PERIOD;
      const failure = await ping(cluster, signal);
      if (isOver()) return;
      const before = health;
      health = transition(before, failure ? 'failed' : 'answered');
      if (health.state !== before.state) {
        if (failure) {
          recorder.unreachable(name, failure);
          onUnreachable(name, cluster, failure);
        } else {
          recorder.reachable(name);
        }
      }
      if (!failure) recorder.healthy(name);
      else if (health.state === 'reachable' && isDefinite(failure)) start = clock.now() + SHORT_PERIOD;
    }
  }
}

/** Failures that only another address, other credentials or a restart of the server can end. */
const DEFINITE: ReadonlySet<TransportErrorCode> = new Set([
  'refused',
  'unresolved',
  'untrusted',
  'disallowed',
  'credentials',
]);

/** Whether a check failed for a definite reason, and not because of load or packet loss. */
function isDefinite({ cause }: Error): boolean {
  return isUnauthorized(cause) || (isTransportError(cause) && DEFINITE.has(cause.code));
}

/** Returns the failure of a health check, or `undefined` if it succeeded. */
async function ping(cluster: Cluster, signal: AbortSignal): Promise<Error | undefined> {
  try {
    await cluster.ping({ signal, timeout: TIMEOUT });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
