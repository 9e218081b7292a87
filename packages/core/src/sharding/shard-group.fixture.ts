import type { Clock, Logger, Timer } from '@mcr/client';
import { silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { HubAnswer, HubRequest } from './membership/hub-request.ts';
import { DEFAULT_RULES } from './membership/rules.ts';
import { ModelHub } from './membership/simulation/model-hub.fixture.ts';
import type { ShardHub } from './shard-hub.ts';
import { ShardMember } from './shard-member.ts';
import type { SlotWork } from './slot-membership.ts';

/** Number of slots of a {@link ShardScene}. */
export const SLOTS = 16;

/** Latency of each request, in each direction, and of each hint, in milliseconds. */
const LATENCY = 10;

/** The clock of a process that can be stopped: its time goes on, and its timers fire when it resumes. */
export class PausableClock implements Clock {
  readonly #clock: Clock;
  readonly #late = new Set<() => void>();
  #isPaused = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  wallTime(): number {
    return this.#clock.wallTime();
  }

  schedule(delay: number, callback: () => void): Timer {
    const fire = () => callback();
    const timer = this.#clock.schedule(delay, () => {
      if (this.#isPaused) this.#late.add(fire);
      else fire();
    });
    return {
      cancel: () => {
        timer.cancel();
        this.#late.delete(fire);
      },
    };
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const fire of [...this.#late]) {
      // One that fired may have canceled another.
      if (this.#late.delete(fire)) fire();
    }
  }
}

/** Work that is warm and idle at once, except for some slots. */
export class FakeWork implements SlotWork {
  readonly cold = new Set<number>();
  readonly busy = new Set<number>();
  readonly #listeners = new Set<(slot: number | undefined) => void>();

  /** Returns the number of clusters of each slot. */
  loads: () => ReadonlyMap<number, number> = () => new Map();
  measure?: () => ReadonlyMap<number, number>;

  isWarm(slot: number): boolean {
    return !this.cold.has(slot);
  }

  isIdle(slot: number): boolean {
    return !this.busy.has(slot);
  }

  isSettled(): boolean {
    return true;
  }

  onProgress(listener: (slot: number | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reports that the loads have changed. */
  changed(): void {
    for (const listener of this.#listeners) listener(undefined);
  }

  /** Reports that a slot is warm and idle. */
  finish(slot: number): void {
    this.cold.delete(slot);
    this.busy.delete(slot);
    for (const listener of this.#listeners) listener(slot);
  }
}

/** One process of a {@link ShardScene}. */
export class ShardReplica implements ShardHub {
  readonly work = new FakeWork();
  readonly clock: PausableClock;
  readonly member: ShardMember;
  readonly requests: HubRequest['type'][] = [];
  /** Messages and fields of logged warnings. */
  readonly warnings: (readonly [string, object | undefined])[] = [];
  /** Requests are not answered, and no hints come. */
  isCutOff = false;
  /** Requests are applied, and their answers are lost. */
  losesAnswers = false;
  /** Settles when the member has stopped. */
  readonly stopped: Promise<void>;
  readonly #end = new AbortController();
  readonly #scene: ShardScene;

  constructor(scene: ShardScene, replicaId: string, weight: number) {
    this.#scene = scene;
    this.clock = new PausableClock(scene.clock);
    this.member = new ShardMember({
      replicaId,
      slots: SLOTS,
      weight,
      rules: DEFAULT_RULES,
      hub: this,
      clock: this.clock,
      logger: this.#logger(),
    });
    this.member.attach(this.work);
    this.stopped = this.member.run(this.#end.signal);
  }

  /** Slots that the replica may write to now. */
  get writable(): number[] {
    return Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => this.member.mayWrite(slot));
  }

  #logger(): Logger {
    const warn = (message: string, fields?: object) => void this.warnings.push([message, fields]);
    const logger: Logger = { ...silentLogger, warn, child: () => logger };
    return logger;
  }

  /** Stops without leaving the group. */
  async crash(): Promise<void> {
    this.isCutOff = true;
    this.#end.abort();
    await this.stopped;
  }

  async perform(request: HubRequest, { signal }: { readonly signal: AbortSignal }): Promise<HubAnswer> {
    this.requests.push(request.type);
    const { promise, resolve } = Promise.withResolvers<HubAnswer>();
    let timer: Timer | undefined;
    const onAbort = () => {
      timer?.cancel();
      resolve({ type: 'failed', error: new Error('aborted') });
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (!this.isCutOff) {
      timer = this.clock.schedule(LATENCY, () => {
        const answer = this.#scene.hub.apply(request, this.#scene.clock.now());
        if (this.losesAnswers) return;
        timer = this.clock.schedule(LATENCY, () => {
          signal.removeEventListener('abort', onAbort);
          resolve(answer);
        });
      });
    }
    return promise;
  }

  follow(onChange: () => void, signal: AbortSignal): void {
    const timers = new Set<Timer>();
    const stop = this.#scene.onHubChange(() => {
      if (this.isCutOff) return;
      const timer = this.clock.schedule(LATENCY, () => {
        timers.delete(timer);
        onChange();
      });
      timers.add(timer);
    });
    signal.addEventListener(
      'abort',
      () => {
        stop();
        for (const timer of timers) timer.cancel();
      },
      { once: true },
    );
  }
}

/** Replicas of one group with a hub in memory, in virtual time. */
export class ShardScene {
  readonly clock = new VirtualClock();
  readonly hub: ModelHub;
  readonly replicas: ShardReplica[] = [];
  /** Longest time that each slot had no writer since {@link resetGaps}, in milliseconds. */
  readonly #gaps = new Map<number, { since: number | undefined; longest: number }>();
  readonly #listeners = new Set<() => void>();

  constructor() {
    this.hub = new ModelHub(() => {
      for (const listener of [...this.#listeners]) listener();
    });
  }

  onHubChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(replicaId: string, { weight = 1 } = {}): ShardReplica {
    const replica = new ShardReplica(this, replicaId, weight);
    this.replicas.push(replica);
    return replica;
  }

  /** Advances time in steps. @throws {Error} if two replicas may write to one slot. */
  async advance(duration: number): Promise<void> {
    const end = this.clock.now() + duration;
    while (this.clock.now() < end) {
      await this.clock.advance(Math.min(50, end - this.clock.now()));
      this.#check();
    }
  }

  /** Advances time until `condition` holds. @throws {Error} after `limit` milliseconds. */
  async until(condition: () => boolean, limit: number): Promise<void> {
    const end = this.clock.now() + limit;
    while (!condition()) {
      if (this.clock.now() >= end) throw new Error(`the condition does not hold after ${limit} ms`);
      await this.advance(Math.min(50, end - this.clock.now()));
    }
  }

  /** Whether each slot has a writer. */
  get isServed(): boolean {
    return new Set(this.replicas.flatMap((replica) => replica.writable)).size === SLOTS;
  }

  get longestGap(): number {
    return Math.max(0, ...[...this.#gaps.values()].map(({ longest }) => longest));
  }

  resetGaps(): void {
    this.#gaps.clear();
  }

  /** Stops all replicas. */
  async end(): Promise<void> {
    for (const replica of this.replicas) {
      replica.clock.resume();
      await replica.crash();
    }
  }

  #check(): void {
    const now = this.clock.now();
    for (let slot = 0; slot < SLOTS; slot++) {
      const writers = this.replicas.filter(({ member }) => member.mayWrite(slot)).length;
      if (writers > 1) throw new Error(`slot ${slot} has ${writers} writers at ${now}`);
      const { since, longest } = this.#gaps.get(slot) ?? { since: undefined, longest: 0 };
      const start = writers === 0 ? (since ?? now) : undefined;
      this.#gaps.set(slot, { since: start, longest: Math.max(longest, start === undefined ? 0 : now - start) });
    }
  }
}
