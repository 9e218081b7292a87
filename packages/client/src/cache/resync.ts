import type { Clock } from '../clock/clock.ts';
import { sleep } from '../clock/clock.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { workInTurns } from '../clock/event-loop-turn.ts';
import { InformerStoppedError } from '../store/informer-stopped-error.ts';
import type { LazyObject, ReadonlyStore } from './informer.ts';

/** Shortest period that {@link resync} accepts, in milliseconds. (Upstream: client-go's `minimumResyncPeriod`.) */
export const SHORTEST_RESYNC_PERIOD = 1_000;

/** Maximum jitter, as a fraction of the period. (Upstream: controller-runtime's `SyncPeriod`.) */
const JITTER = 0.1;

export interface ResyncOptions<T extends KubernetesObject> {
  readonly store: Pick<ReadonlyStore<T>, 'keys' | 'lazy'>;
  /**
   * Time between two passes, in milliseconds. Each wait is up to 10 percent shorter or longer, so that the clusters of
   * a fleet do not resync at the same time.
   */
  readonly period: number;
  /**
   * Receives each object in its current version, not decoded yet. If it returns a promise, the next object waits until
   * it resolves. Must not throw or reject.
   */
  readonly onObject: (object: LazyObject<T>) => void | Promise<void>;
  readonly clock: Clock;
  /** Returns numbers in [0, 1), for jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Visits every object of a store once per period, and yields to other work in between. Sends no requests. Resolves
 * after the abort, or when the informer of the store has stopped. (Upstream: the resync of client-go's `SharedIndexInformer`.)
 *
 * @throws {RangeError} if the period is shorter than {@link SHORTEST_RESYNC_PERIOD}.
 */
export async function resync<T extends KubernetesObject>(
  { store, period, onObject, clock, random = Math.random }: ResyncOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  if (!(period >= SHORTEST_RESYNC_PERIOD)) {
    throw new RangeError(`resync period is ${period} ms: set ${SHORTEST_RESYNC_PERIOD} ms or more`);
  }
  while (await passes(clock, period * (1 + JITTER * (2 * random() - 1)), signal)) {
    try {
      await workInTurns(store.keys(), (key) => {
        const current = signal.aborted ? undefined : store.lazy(key);
        const pending = current && onObject(current);
        return pending ? pending.then(() => !signal.aborted) : !signal.aborted;
      });
    } catch (error) {
      if (error instanceof InformerStoppedError) return;
      throw error;
    }
  }
}

/** Waits. Returns whether the time passed before the abort. */
function passes(clock: Clock, delay: number, signal: AbortSignal): Promise<boolean> {
  return sleep(clock, delay, signal).then(
    () => true,
    () => false,
  );
}
