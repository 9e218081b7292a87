import type { Clock, EventRecorder, Logger } from '@mcr/client';
import { Lease } from '@mcr/client';
import type { OwnershipState } from '../../fleet/multicluster/ownership.ts';
import type { SlotOwnership } from '../../fleet/multicluster/slot-ownership.ts';

/** Time in which slots that this replica took over count, in milliseconds. */
const WINDOW = 600_000;

/**
 * Slots that come back in {@link WINDOW} and make a storm, as a multiple of the fair share. One outage of the hub brings
 * back about one share.
 */
const STORM = 2;

export interface HandoverStormOptions {
  readonly slots: Pick<SlotOwnership, 'count' | 'onChange'>;
  /** Returns the number of replicas in the plan. */
  readonly replicas: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recorder: Pick<EventRecorder, 'event'>;
  /** The Lease of the plan, which the Event is about. */
  readonly plan: { readonly namespace: string; readonly name: string };
}

/**
 * Writes an Event about the plan, at most every ten minutes, if this replica takes over slots again and again: then
 * replicas crash, or cannot renew their Leases. The first time that it takes over a slot does not count, because more
 * replicas or a rolling update cause it too.
 */
export class HandoverStorm {
  readonly #options: HandoverStormOptions;
  /** Slots that this replica owned at any time. */
  readonly #owned = new Set<number>();
  /** When slots came back, and how many, oldest first. */
  readonly #takeovers: { readonly at: number; readonly slots: number }[] = [];
  #reportedAt = -Infinity;

  constructor(options: HandoverStormOptions) {
    this.#options = options;
  }

  /** Watches until the process ends. Called once. */
  watch(): void {
    this.#options.slots.onChange((changes) => this.#onChange(changes));
  }

  #onChange(changes: ReadonlyMap<number, OwnershipState>): void {
    const { clock, slots, replicas } = this.#options;
    const now = clock.now();
    let taken = 0;
    for (const [slot, state] of changes) {
      if (state !== 'active') continue;
      if (this.#owned.has(slot)) taken += 1;
      this.#owned.add(slot);
    }
    if (taken > 0) this.#takeovers.push({ at: now, slots: taken });
    while ((this.#takeovers[0]?.at ?? now) < now - WINDOW) this.#takeovers.shift();
    const total = this.#takeovers.reduce((sum, takeover) => sum + takeover.slots, 0);
    const share = slots.count / Math.max(1, replicas());
    if (total <= STORM * share || now - this.#reportedAt < WINDOW) return;
    this.#reportedAt = now;
    this.#report(total, Math.round(share));
  }

  #report(taken: number, share: number): void {
    const { logger, recorder, plan } = this.#options;
    logger.warn('slots come back to this replica again and again, see mcr_shard_handovers_total of all replicas', {
      taken,
      share,
      minutes: WINDOW / 60_000,
    });
    recorder.event(
      {
        apiVersion: Lease.apiVersion,
        kind: Lease.kind,
        metadata: { ...plan, uid: '', resourceVersion: '', creationTimestamp: '' },
      },
      {
        type: 'Warning',
        reason: 'HandoverStorm',
        action: 'Handover',
        note:
          `${taken} slots that this replica had given away or lost came back in ${WINDOW / 60_000} minutes, and its share is ${share}: ` +
          'replicas crash or cannot renew their Leases, see the logs of all replicas and the metric mcr_shard_handovers_total',
      },
    );
  }
}
