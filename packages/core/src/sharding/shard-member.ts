import type { Clock, Logger, Timer } from '@mcr/client';
import type { OwnershipState } from '../fleet/multicluster/ownership.ts';
import { Lifetime } from '../fleet/clusters/lifetime.ts';
import { HubFailures } from './hub-failures.ts';
import { FORMAT } from './lease/group.ts';
import { hasNamesake, newMemberName, randomText, replicaOf } from './member-name.ts';
import type { HubAnswer, HubRequest, HubSnapshot } from './membership/hub-request.ts';
import type { MembershipAction, MembershipEvent, SlotProgress } from './membership/membership-event.ts';
import type { Membership } from './membership/membership.ts';
import { isFenceOpen, join, mayWrite, ownerOf, slotPhase, slotState } from './membership/membership.ts';
import { grownRules, livingMembers } from './membership/grown-rules.ts';
import { nextRequest } from './membership/next-request.ts';
import type { MembershipRules } from './membership/rules.ts';
import { transition } from './membership/transition.ts';
import type { ShardHub } from './shard-hub.ts';
import type { ShardingStatus } from './sharding.ts';
import type { SlotMembership, SlotWork } from './slot-membership.ts';
import { UnreadableLeases } from './unreadable-leases.ts';

/** Formats of plans that this version can read. */
const FORMATS = [FORMAT] as const;

/** Time for the last requests of a member that leaves, in milliseconds. */
const RELEASE_TIME = 5_000;

/** Time between two reports of the loads, in milliseconds. */
const LOAD_INTERVAL = 1_000;

/**
 * The clusters of the fleet count as known when none was added or removed for this time, in milliseconds. Until then, no
 * slot moves for balance.
 */
const SETTLING_TIME = 5_000;
/** Time after which they count as known although clusters still come and go, in milliseconds. */
const MAX_SETTLING_TIME = 60_000;

export interface ShardMemberOptions {
  /** Name of the replica. Its members are named `<replicaId>-<random>`. */
  readonly replicaId: string;
  readonly slots: number;
  readonly weight: number;
  readonly rules: MembershipRules;
  readonly hub: ShardHub;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An event without its time, which the member adds. */
type Occurrence = MembershipEvent extends infer E ? (E extends unknown ? Omit<E, 'now'> : never) : never;

/**
 * A replica's membership in its group, with real time and the real hub. The pure functions of `membership/` decide
 * everything; this class performs their requests, and reports the progress of the replica's work to them.
 */
export class ShardMember implements SlotMembership {
  readonly slots: number;
  readonly #options: ShardMemberOptions;
  readonly #log: Logger;
  readonly #listeners = new Set<(changes: ReadonlyMap<number, OwnershipState>) => void>();
  #state: Membership;
  /** State of each slot that listeners were last notified of. Slots that are not in it are `elsewhere`. */
  readonly #known = new Map<number, OwnershipState>();
  #work: SlotWork | undefined;
  /** Slots whose progress will be reported. */
  readonly #progressed = new Set<number>();
  /** Set while a report of the loads is due. */
  #loadTimer: { readonly at: number; readonly timer: Timer } | undefined;
  #startedAt = 0;
  #loadsChangedAt = 0;
  /** Whether the clusters of the fleet are known. */
  #mayBalance = false;
  /** Changes that listeners have not been notified of. */
  readonly #notifications: ReadonlyMap<number, OwnershipState>[] = [];
  #isNotifying = false;
  /** Wakes the loop of {@link run}. */
  #wake: () => void = () => undefined;
  readonly #released = Promise.withResolvers<void>();
  #isRunning = false;
  #isLeaving = false;
  /** The request in progress. */
  #request: Promise<void> = Promise.resolve();
  /** Ends {@link run}, which then rejects: an error in this class, not in the hub. */
  #fail: (error: unknown) => void = () => undefined;
  readonly #failures: HubFailures;
  readonly #unreadable: UnreadableLeases;
  /** Whether another process with the same replicaId was found. */
  #hasNamesake = false;
  #evictions = 0;
  #plans = 0;
  readonly #handovers = { count: 0, milliseconds: 0 };
  /** When the preparation of each slot in the state `warming` began. */
  readonly #warmingSince = new Map<number, number>();

  constructor(options: ShardMemberOptions) {
    this.#options = options;
    this.slots = options.slots;
    this.#log = options.logger.child({ replica: options.replicaId });
    this.#failures = new HubFailures({ clock: options.clock, logger: this.#log });
    this.#unreadable = new UnreadableLeases(this.#log);
    this.#state = this.#newIncarnation();
  }

  get writeDeadline(): number {
    return this.#options.rules.writeDeadline;
  }

  stateOf(slot: number): OwnershipState {
    return slotState(this.#state, slot);
  }

  mayWrite(slot: number): boolean {
    return this.#isRunning && mayWrite(this.#state, slot, this.#options.clock.now());
  }

  ownerOf(slot: number): string | undefined {
    const owner = ownerOf(this.#state, slot);
    return owner === undefined ? undefined : replicaOf(owner);
  }

  refusalOf(slot: number): string | undefined {
    const { clock } = this.#options;
    if (!this.#isRunning || this.#state.end) return 'this replica is not a member of its group';
    if (!isFenceOpen(this.#state, clock.now()))
      return 'its Lease was not renewed in time, see the log and /readyz/sharding';
    switch (this.stateOf(slot)) {
      case 'warming':
        return 'this replica is the next owner, and the previous one has not finished';
      case 'draining':
        return 'another replica becomes the owner, and the time for running reconciles is over';
      default:
        return this.ownerOf(slot) === undefined ? 'no replica owns it' : undefined;
    }
  }

  onChange(listener: (changes: ReadonlyMap<number, OwnershipState>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Connects the work that the slots stand for. Called once, before {@link run}. */
  attach(work: SlotWork): void {
    this.#work = work;
    work.onProgress((slot) => {
      if (slot !== undefined) {
        this.#reportProgressSoon(slot);
        return;
      }
      this.#loadsChangedAt = this.#options.clock.now();
      this.#reportLoadsSoon();
    });
  }

  /**
   * Takes part in the group until `signal` aborts or the member has left. After an abort without {@link leave}, nothing
   * may be written, and other members evict this one like one that crashed.
   */
  async run(signal: AbortSignal): Promise<void> {
    const lifetime = new Lifetime(signal);
    let failure: { readonly error: unknown } | undefined;
    this.#fail = (error) => {
      failure ??= { error };
      lifetime.end('the membership failed');
    };
    this.#isRunning = true;
    this.#startedAt = this.#loadsChangedAt = this.#options.clock.now();
    this.#reportLoadsSoon();
    this.#options.hub.follow(() => this.#apply({ type: 'hint' }), lifetime.signal);
    try {
      while (!lifetime.signal.aborted && !this.#hasLeft()) await this.#step(lifetime.signal);
    } finally {
      this.#isRunning = false;
      this.#loadTimer?.timer.cancel();
      this.#loadTimer = undefined;
      lifetime.complete();
      await this.#request;
      this.#released.resolve();
    }
    if (failure) throw failure.error;
  }

  /**
   * Gives all slots away. Resolves when the Lease is released, when {@link run} has ended, or when the hub did not let it
   * release the Lease in time: all slots have been drained then.
   */
  async leave(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isLeaving = true;
    this.#apply({ type: 'leave' });
    const { clock, rules } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.schedule(rules.warmTimeout + rules.drainTimeout + RELEASE_TIME, resolve);
    await Promise.race([this.#released.promise, promise]);
    timer.cancel();
  }

  /** Whether this incarnation has left, or ended in another way, and none follows. */
  #hasLeft(): boolean {
    const { end } = this.#state;
    return end !== undefined && (end.reason === 'released' || this.#isLeaving);
  }

  status(): Omit<ShardingStatus, 'refusedWrites'> {
    const { clock, replicaId } = this.#options;
    const isOpen = this.#isRunning && isFenceOpen(this.#state, clock.now());
    const held = { active: 0, warming: 0, draining: 0 };
    for (const state of this.#known.values()) if (state !== 'elsewhere') held[state] += 1;
    const { plan, acked, seen, end, newerFormat } = this.#state;
    const problem = end
      ? end.detail
      : newerFormat !== undefined
        ? `the plan has format ${newerFormat}, which is newer than this version of mcr reads: update this replica`
        : this.#failures.current?.message;
    return {
      replica: replicaId,
      fence: isOpen ? 'open' : 'closed',
      ...(problem !== undefined && { problem }),
      epoch: acked.epoch,
      isMember: !end && plan?.epoch === acked.epoch && plan.members.includes(this.#state.name),
      isCurrent: acked.epoch > 0 && acked.epoch === seen.epoch && acked.id === seen.id,
      slots: this.slots,
      held,
      replicas: (plan?.members ?? []).map(replicaOf).sort(),
      evictions: this.#evictions,
      plans: this.#plans,
      handovers: { ...this.#handovers },
    };
  }

  /** Sends the next request, or waits until there is something to do. */
  async #step(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const step = nextRequest(this.#state, { now: clock.now(), planId: randomText() });
    this.#state = step.state;
    if (step.request) this.#request = this.#perform(step.request, signal).catch(this.#fail);
    else await this.#sleep(step.wakeAt, signal);
    this.#apply({ type: 'time' });
    this.#rejoin();
  }

  async #perform(request: HubRequest, signal: AbortSignal): Promise<void> {
    const { hub, clock, rules } = this.#options;
    const lifetime = new Lifetime(signal);
    const deadline = `the hub did not answer within ${rules.requestDeadline} ms`;
    const timer = clock.schedule(rules.requestDeadline, () => lifetime.end(deadline));
    const aborted = new Promise<HubAnswer>((resolve) => {
      lifetime.signal.addEventListener('abort', () => resolve({ type: 'failed', error: new Error(deadline) }), {
        once: true,
      });
    });
    try {
      const answer = await Promise.race([hub.perform(request, { signal: lifetime.signal }), aborted]);
      if (signal.aborted) return;
      this.#failures.note(request.type, answer);
      this.#apply({ type: 'answered', answer });
      if (answer.type === 'snapshot') this.#learn(answer.snapshot);
    } finally {
      timer.cancel();
      lifetime.complete();
    }
  }

  /** Acts on what a read shows beside the membership. */
  #learn(snapshot: HubSnapshot): void {
    this.#unreadable.note(snapshot, this.#state.name);
    this.#grow();
    if (this.#hasNamesake || !hasNamesake(this.#state)) return;
    this.#hasNamesake = true;
    const { replicaId } = this.#options;
    this.#log.warn('two replicas use the same replicaId, give each its own sharding.replicaId', { replicaId });
  }

  #apply(event: Occurrence): void {
    const now = this.#options.clock.now();
    const { state, actions } = transition(this.#state, { ...event, now });
    this.#state = state;
    if (actions.length > 0) this.#act(actions);
    this.#wake();
  }

  #act(actions: readonly MembershipAction[]): void {
    const changed = new Map<number, OwnershipState>();
    for (const action of actions) {
      if (action.type === 'slot') changed.set(action.slot, this.stateOf(action.slot));
      else this.#logAction(action);
    }
    const changes = new Map([...changed].filter(([slot, state]) => (this.#known.get(slot) ?? 'elsewhere') !== state));
    for (const [slot, state] of changes) {
      if (state === 'elsewhere') this.#known.delete(slot);
      else this.#known.set(slot, state);
    }
    this.#measure(changes);
    if (changes.size > 0) this.#notify(changes);
    // Work that has nothing to do reports no progress by itself.
    this.#reportProgress(changed.keys());
  }

  /** Renews less often in a large group. */
  #grow(): void {
    const now = this.#options.clock.now();
    if (!this.#state.view) return;
    const rules = grownRules(this.#options.rules, livingMembers(this.#state, now));
    if (rules.renewInterval === this.#state.rules.renewInterval) return;
    this.#state = transition(this.#state, { type: 'rules', rules, now }).state;
  }

  #measure(changes: ReadonlyMap<number, OwnershipState>): void {
    const now = this.#options.clock.now();
    for (const [slot, state] of changes) {
      const since = this.#warmingSince.get(slot);
      if (state === 'warming') this.#warmingSince.set(slot, now);
      else this.#warmingSince.delete(slot);
      if (state !== 'active' || since === undefined) continue;
      this.#handovers.count += 1;
      this.#handovers.milliseconds += now - since;
    }
  }

  /** Notifies all listeners of one change before the next one, although listeners may cause changes. */
  #notify(changes: ReadonlyMap<number, OwnershipState>): void {
    this.#notifications.push(changes);
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    try {
      for (let next = this.#notifications.shift(); next; next = this.#notifications.shift()) {
        for (const listener of [...this.#listeners]) this.#call(listener, next);
      }
    } finally {
      this.#isNotifying = false;
    }
  }

  /** A listener that throws must not keep others from noticing that a slot was lost. */
  #call(
    listener: (changes: ReadonlyMap<number, OwnershipState>) => void,
    changes: ReadonlyMap<number, OwnershipState>,
  ): void {
    try {
      listener(changes);
    } catch (error) {
      this.#log.error('listener of slot changes threw', { error });
    }
  }

  /** Reports the progress of all slots of one turn together: many reconciles end when many slots are given away. */
  #reportProgressSoon(slot: number): void {
    if (this.#progressed.size === 0) {
      queueMicrotask(() => {
        const slots = [...this.#progressed];
        this.#progressed.clear();
        this.#reportProgress(slots);
      });
    }
    this.#progressed.add(slot);
  }

  #reportProgress(slots: Iterable<number>): void {
    const progress = new Map<number, SlotProgress>();
    for (const slot of slots) {
      const made = this.#progressOf(slot);
      if (made) progress.set(slot, made);
    }
    if (progress.size > 0) this.#apply({ type: 'progress', slots: progress });
  }

  /** Returns the progress of a slot that matters in its phase. */
  #progressOf(slot: number): SlotProgress | undefined {
    const work = this.#work;
    if (!work) return undefined;
    const phase = slotPhase(this.#state, slot);
    // A slot is warm without clusters. Before the clusters are known, it would be given to this replica unprepared.
    if (phase === 'warming') return this.#mayBalance && work.isWarm(slot) ? 'warm' : 'cold';
    if (phase === 'draining' && work.isIdle(slot)) return 'idle';
    return phase === 'closing' && work.isSettled(slot) ? 'settled' : undefined;
  }

  #reportLoadsSoon(delay = LOAD_INTERVAL): void {
    if (!this.#isRunning) return;
    const { clock } = this.#options;
    const at = clock.now() + delay;
    if (this.#loadTimer && this.#loadTimer.at <= at) return;
    this.#loadTimer?.timer.cancel();
    const timer = clock.schedule(delay, () => {
      this.#loadTimer = undefined;
      this.#reportLoads();
    });
    this.#loadTimer = { at, timer };
  }

  #reportLoads(): void {
    if (!this.#work) return;
    const now = this.#options.clock.now();
    const isSettled = now - this.#loadsChangedAt >= SETTLING_TIME || now - this.#startedAt >= MAX_SETTLING_TIME;
    const isFirst = isSettled && !this.#mayBalance;
    if (isSettled) this.#mayBalance = true;
    const loads = { loads: this.#work.loads(), measured: this.#work.measure?.() };
    this.#apply({ type: 'loads', ...loads, mayBalance: this.#mayBalance });
    if (isFirst) this.#reportProgress(this.#known.keys());
    if (!this.#mayBalance) this.#reportLoadsSoon();
    else if (this.#work.measure) this.#reportLoadsSoon(this.#options.rules.loadInterval);
  }

  #logAction(action: Exclude<MembershipAction, { type: 'slot' }>): void {
    switch (action.type) {
      case 'fence opened':
        this.#log.info('joined the group, writes are allowed', { member: this.#state.name });
        break;
      case 'fence closed':
        this.#log.warn('lease not renewed in time, writes are refused', { member: this.#state.name });
        break;
      case 'plan adopted':
        this.#log.debug('acts on another plan', { epoch: action.version.epoch });
        break;
      case 'plan written':
        this.#plans += 1;
        this.#log.info('wrote a plan', { epoch: action.version.epoch });
        break;
      case 'evicted':
        this.#evictions += 1;
        this.#log.warn('evicted a member that did not renew its lease', { member: action.name });
        break;
      case 'newer format':
        this.#log.error('the plan has a newer format, update this replica', { format: action.format });
        break;
      case 'ended':
        this.#log[action.reason === 'released' ? 'info' : 'warn']('left the group', {
          member: this.#state.name,
          reason: action.detail,
        });
        break;
    }
  }

  /** Joins again after the member was evicted, or saw that the hub went back in time. */
  #rejoin(): void {
    const { end } = this.#state;
    if (end?.rejoinAt === undefined || this.#options.clock.now() < end.rejoinAt) return;
    this.#state = this.#newIncarnation();
    this.#reportLoads();
  }

  #newIncarnation(): Membership {
    const { replicaId, rules, slots, weight } = this.#options;
    const name = newMemberName(replicaId);
    return join({ name, rules, slotCount: slots, weight, formats: FORMATS });
  }

  /** Waits until `wakeAt`, or until something happens. */
  async #sleep(wakeAt: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      const onWake = () => {
        signal.removeEventListener('abort', onWake);
        resolve();
      };
      this.#wake = onWake;
      signal.addEventListener('abort', onWake, { once: true });
      if (signal.aborted) onWake();
      else if (Number.isFinite(wakeAt)) timer = clock.schedule(Math.max(0, wakeAt - clock.now()), onWake);
    });
    this.#wake = () => undefined;
    timer?.cancel();
  }
}
