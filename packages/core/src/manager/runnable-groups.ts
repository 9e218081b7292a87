import type { Clock } from '@mcr/client';
import type { Runnable, RunnableGroup } from './runnable.ts';
import { RunnableSet } from './runnable-set.ts';
import { runnableText } from './runnable-text.ts';
import { stopInOrder } from './stop-in-order.ts';

export interface RunnableGroupsOptions {
  /** Called when a runnable rejects. */
  readonly onFailure: (error: unknown) => void;
  readonly clock: Clock;
}

/** Start order. Groups stop in reverse order. */
const ORDER = ['server', 'cache', 'sharding', 'other', 'warm-up', 'election', 'leader-elected', 'provider'] as const;

type Group = (typeof ORDER)[number];

/** Groups that run only in the process that leads. */
const LEADER_GROUPS: readonly Group[] = ['provider', 'leader-elected'];

/** The runnables of a manager, in groups. */
export class RunnableGroups {
  readonly #clock: Clock;
  readonly #sets: Readonly<Record<Group, RunnableSet>>;
  #started = false;
  /** Whether a runnable that starts before this process leads needs the provider's clusters. */
  #standbyNeedsClusters = false;

  constructor({ onFailure, clock }: RunnableGroupsOptions) {
    this.#clock = clock;
    const set = () => new RunnableSet(onFailure);
    this.#sets = {
      server: set(),
      cache: set(),
      sharding: set(),
      other: set(),
      'warm-up': set(),
      election: set(),
      'leader-elected': set(),
      provider: set(),
    };
  }

  /** Adds a runnable. It starts with its group, or immediately if the group has started. */
  add(runnable: Runnable, group: RunnableGroup | 'sharding' | 'election' = runnable.group ?? 'other'): void {
    const warmUp = runnable.warmUp?.bind(runnable);
    if (warmUp) this.#sets['warm-up'].add({ run: warmUp, describe: () => `the warm-up of ${runnableText(runnable)}` });
    this.#sets[group].add(runnable);
    if (runnable.engage && (warmUp || !LEADER_GROUPS.includes(group))) {
      this.#standbyNeedsClusters = true;
      if (this.#started) this.#sets.provider.start();
    }
  }

  /** Starts the groups that do not wait for leadership, and the provider if one of them needs its clusters. */
  start(): void {
    this.#started = true;
    for (const group of ORDER) if (!LEADER_GROUPS.includes(group)) this.#sets[group].start();
    if (this.#standbyNeedsClusters) this.#sets.provider.start();
  }

  /** Starts the remaining groups. */
  startLeaderElected(): void {
    this.#sets['leader-elected'].start();
    this.#sets.provider.start();
  }

  /** Whether no runnable is running that requires leadership. */
  get isLeaderElectedWorkOver(): boolean {
    return LEADER_GROUPS.every((group) => this.#sets[group].size === 0);
  }

  /** Number of runnables that have not ended. */
  get size(): number {
    return ORDER.reduce((sum, group) => sum + this.#sets[group].size, 0);
  }

  /** Aborts all runnables that require leadership at the same time. */
  abortLeaderElected(): void {
    for (const group of LEADER_GROUPS) this.#sets[group].abort();
  }

  /** Resolves when all started runnables have ended. */
  async ended(): Promise<void> {
    await Promise.all(ORDER.map((group) => this.#sets[group].ended()));
  }

  /**
   * Stops the groups one after another.
   *
   * @param timeout for all groups together, in milliseconds. `0` means no wait, `-1` no limit.
   * @throws {Error} if a runnable has not ended by then; the message names it.
   */
  async stop(timeout: number, gracePeriod = timeout): Promise<void> {
    const groups = ORDER.map((group) => this.#sets[group]).reverse();
    await stopInOrder(groups, { timeout, gracePeriod, clock: this.#clock });
  }
}
