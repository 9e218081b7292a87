import type { Clock } from '@mcr/client';
import type { Runnable, RunnableGroup } from './runnable.ts';
import { RunnableSet } from './runnable-set.ts';
import { runnableText } from './runnable-text.ts';
import { stopInOrder } from './stop-in-order.ts';

export interface RunnableGroupsOptions {
  /** Told when a runnable rejects. */
  readonly onFailure: (error: unknown) => void;
  readonly clock: Clock;
}

/** In the order of starting; stopped the other way round. */
const ORDER = ['server', 'cache', 'other', 'warm-up', 'election', 'leader-elected', 'provider'] as const;

type Group = (typeof ORDER)[number];

/** What works only in the process that leads. */
const LED: readonly Group[] = ['provider', 'leader-elected'];

/** Everything that a manager runs. */
export class RunnableGroups {
  readonly #clock: Clock;
  readonly #sets: Readonly<Record<Group, RunnableSet>>;
  #started = false;
  /** Somebody works with clusters before this process leads. */
  #standbyWantsClusters = false;

  constructor({ onFailure, clock }: RunnableGroupsOptions) {
    this.#clock = clock;
    const set = () => new RunnableSet(onFailure);
    this.#sets = {
      server: set(),
      cache: set(),
      other: set(),
      'warm-up': set(),
      election: set(),
      'leader-elected': set(),
      provider: set(),
    };
  }

  /** Starts a runnable with its group, or now when that has been started. */
  add(runnable: Runnable, group: RunnableGroup | 'election' = runnable.group ?? 'other'): void {
    const warmUp = runnable.warmUp?.bind(runnable);
    if (warmUp) this.#sets['warm-up'].add({ run: warmUp, describe: () => `the warm-up of ${runnableText(runnable)}` });
    this.#sets[group].add(runnable);
    if (runnable.engage && (warmUp || !LED.includes(group))) {
      this.#standbyWantsClusters = true;
      if (this.#started) this.#sets.provider.start();
    }
  }

  /** Starts what does not wait for this process to lead. The provider is part of that if one of them wants its clusters. */
  start(): void {
    this.#started = true;
    for (const group of ORDER) if (!LED.includes(group)) this.#sets[group].start();
    if (this.#standbyWantsClusters) this.#sets.provider.start();
  }

  /** Starts the rest. */
  startLed(): void {
    this.#sets['leader-elected'].start();
    this.#sets.provider.start();
  }

  /** Whether nothing runs (any more) that only the leader may do. */
  get isLedWorkOver(): boolean {
    return LED.every((group) => this.#sets[group].size === 0);
  }

  /** Number of runnables that have not ended. */
  get size(): number {
    return ORDER.reduce((sum, group) => sum + this.#sets[group].size, 0);
  }

  /** Aborts what only the leader may do, all at once. */
  abortLed(): void {
    for (const group of LED) this.#sets[group].abort();
  }

  /** Resolves when everything that was started has ended. */
  async ended(): Promise<void> {
    await Promise.all(ORDER.map((group) => this.#sets[group].ended()));
  }

  /**
   * Stops everything, group by group.
   *
   * @param timeout for all together, in milliseconds; `0`: do not wait; `-1`: wait for as long as it takes.
   * @throws {Error} when something is still running then.
   */
  async stop(timeout: number): Promise<void> {
    const groups = ORDER.map((group) => this.#sets[group]).reverse();
    await stopInOrder(groups, { timeout, clock: this.#clock });
  }
}
