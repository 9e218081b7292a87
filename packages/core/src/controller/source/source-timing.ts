import { nonNegativeMilliseconds, SHORTEST_RESYNC_PERIOD } from '@mcr/client';
import * as z from 'zod';

/** Option for the delay of requests after their events. */
export interface Debounce {
  /**
   * Delay between an event and its request, in milliseconds. Events of the same object within that time cause one
   * reconcile. Later events do not extend the delay, so an object that changes continuously is still reconciled once per
   * delay. An event of another watch, or a handler's own `after`, may shorten the delay, because the queue uses the
   * earliest time. Default: 0.
   */
  readonly debounce?: number;
}

/** Options for the time at which a watch enqueues requests. */
export interface SourceTiming extends Debounce {
  /**
   * Interval after which every object is reconciled again, plus or minus 10 percent, in milliseconds, at least 1,000.
   * It is a safety net for state outside of the cluster, and sends no request to the API server. The requests have a
   * low priority, and predicates that compare versions drop them. Default: never. (Upstream: controller-runtime's
   * `SyncPeriod`.)
   */
  readonly resyncPeriod?: number;
}

const RESYNC_PERIOD = `expected a number of milliseconds of at least ${SHORTEST_RESYNC_PERIOD}`;

/** Validates {@link SourceTiming}. */
export const sourceTimingSchemas = {
  debounce: nonNegativeMilliseconds.exactOptional(),
  resyncPeriod: z.number(RESYNC_PERIOD).min(SHORTEST_RESYNC_PERIOD, RESYNC_PERIOD).exactOptional(),
} satisfies Record<keyof SourceTiming, z.ZodType>;
