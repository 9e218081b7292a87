import type { Clock } from '@mcr/client';

/**
 * Minimum time for which this process waits for the clusters of an owner, in milliseconds, so that clusters that a provider
 * has not reported yet, or that are being engaged, are asked.
 */
export const MIN_WAIT = 60_000;

/** Measures how long this process has seen owners wait. Changes of the wall clock and stops of the process do not count. */
export class OwnerWaits {
  readonly #clock: Pick<Clock, 'now'>;
  /** When each wait began, by the text of the owner's key. */
  readonly #begun = new Map<string, { readonly id: string; readonly at: number }>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /**
   * Returns how long an owner has waited, in milliseconds. The first call begins the wait.
   *
   * @param owner text of the owner's key.
   * @param id identifies the wait, for example the uid of the owner. Another one begins another wait.
   */
  waited(owner: string, id: string): number {
    const now = this.#clock.now();
    const begun = this.#begun.get(owner);
    if (begun?.id === id) return now - begun.at;
    this.#begun.set(owner, { id, at: now });
    return 0;
  }

  forget(owner: string): void {
    this.#begun.delete(owner);
  }
}

/**
 * Returns how long a deleted owner still waits for its clusters with `orphanAfter`, in milliseconds. It waits until that time
 * has passed since the deletion by the wall clock, so that a restart does not prolong it, but not longer than this process
 * has seen it wait for that time, and not before this process has given the clusters {@link MIN_WAIT}: the wall clock may
 * have jumped, and a process that has just started has engaged no cluster.
 *
 * @param wait.sinceDeletion time since the deletion, by the wall clock.
 * @param wait.waited see {@link OwnerWaits}.
 */
export function orphanWait(
  orphanAfter: number,
  { sinceDeletion, waited }: { readonly sinceDeletion: number; readonly waited: number },
): number {
  const atLeast = Math.min(orphanAfter, MIN_WAIT) - waited;
  return Math.max(0, Math.min(orphanAfter - waited, Math.max(orphanAfter - sinceDeletion, atLeast)));
}
