import { SHORTEST_RESYNC_PERIOD } from '@mcr/client';
import { z } from 'zod';

export interface Debounce {
  /**
   * How long a request waits after the event that asked for it, in milliseconds. Events of the same object within that
   * time are one reconcile. Later events do not extend the wait, so that an object that changes all the time is still
   * reconciled once per period; and an event of another watch, or a handler's own `after`, may end it earlier, as the
   * queue takes the earliest instant. Default: 0.
   */
  readonly debounce?: number;
}

/** When a watch of a kind asks for requests. */
export interface SourceTiming extends Debounce {
  /**
   * Reconciles every object again after this time, give or take 10 percent, in milliseconds, and at least 1,000: a
   * safety net for state outside of the cluster. It sends no request to the API server. The requests have a low priority, and
   * predicates that compare versions filter them out. Default: never. (Upstream: controller-runtime's `SyncPeriod`.)
   */
  readonly resyncPeriod?: number;
}

/** Checks {@link SourceTiming}. */
export const sourceTimingSchemas = {
  debounce: z.number().nonnegative().exactOptional(),
  resyncPeriod: z.number().min(SHORTEST_RESYNC_PERIOD, `expected ${SHORTEST_RESYNC_PERIOD} ms or more`).exactOptional(),
} satisfies Record<keyof SourceTiming, z.ZodType>;
