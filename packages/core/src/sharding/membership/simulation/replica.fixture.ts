import type { HubAnswer, HubRequest } from '../hub-request.ts';
import type { MembershipAction, MembershipEvent, SlotProgress } from '../membership-event.ts';
import type { Membership } from '../membership.ts';
import { fenceEnd, join, slotPhase } from '../membership.ts';
import { nextRequest } from '../next-request.ts';
import type { MembershipRules } from '../rules.ts';
import { transition } from '../transition.ts';
import type { EventQueue } from './event-queue.fixture.ts';
import type { ModelHub } from './model-hub.fixture.ts';
import type { Writer } from './oracle.fixture.ts';
import { Violation } from './oracle.fixture.ts';
import type { Random } from './random.fixture.ts';
import type { Sabotage } from './sabotage.fixture.ts';

/** `MembershipEvent` without its time. */
type Untimed<Event> = Event extends unknown ? Omit<Event, 'now'> : never;

/** The network between a replica and the hub, and how its work behaves. Faults change it. */
export interface Conditions {
  /** Requests do not arrive. */
  isCutOff: boolean;
  /** Writes are applied, and their answers do not arrive. */
  losesAnswers: boolean;
  /** The watch reports nothing. */
  isWatchSilent: boolean;
  /** Probability that a request or its answer is lost, or that it is applied late. */
  loss: number;
  /** Longest time that a drain takes. Milliseconds. */
  drain: number;
}

export interface ReplicaOptions {
  readonly id: string;
  readonly queue: EventQueue;
  readonly hub: ModelHub;
  readonly random: Random;
  readonly rules: MembershipRules;
  readonly slots: number;
  readonly sabotage: Sabotage;
  readonly onChange: (replica: Replica) => void;
}

/** One for all: the stack of an error costs more than a step of the simulation. */
const NO_ANSWER = new Error('no answer');

/** At most this many requests in a second: several evictions in a row take a read each. */
const RATE_LIMIT = 30;

/** A process that runs the state machine, on a clock of its own. */
export class Replica implements Writer {
  readonly id: string;
  readonly conditions: Conditions = {
    isCutOff: false,
    losesAnswers: false,
    isWatchSilent: false,
    loss: 0,
    drain: 2_000,
  };
  state: Membership | undefined;
  pausedUntil = 0;
  /** True times of the requests, and which of them were writes. */
  readonly requests: number[] = [];
  writes = 0;
  readonly #options: ReplicaOptions;
  /** Milliseconds of the own clock in one true millisecond. */
  readonly #rate: number;
  readonly #offset: number;
  #incarnations = 0;
  /** Grows with each start and crash: callbacks of an earlier life are ignored. */
  #life = 0;
  #request = 0;
  #wakeAt = Infinity;
  #pauseWhenSending = 0;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.id = options.id;
    this.#rate = options.random.between(0.99, 1.01);
    this.#offset = options.random.between(0, 1e6);
  }

  get isRunning(): boolean {
    return this.state !== undefined;
  }

  start(): void {
    if (this.state) return;
    const { rules, slots, sabotage, id } = this.#options;
    this.#life++;
    this.state = join({
      name: `${id}-${this.#incarnations++}`,
      rules: sabotage.rules?.(rules) ?? rules,
      slotCount: slots,
      weight: 1,
      formats: [1],
      mayBalance: true,
    });
    this.#proceed();
  }

  /** Ends the process without a trace: it writes nothing any more. */
  crash(): void {
    this.#life++;
    this.state = undefined;
    this.pausedUntil = 0;
    this.#options.onChange(this);
  }

  leave(): void {
    this.#event({ type: 'leave' });
  }

  /** Stops the process until `end`: now, or when it has sent its next renewal. */
  pause(end: number, { isSending }: { readonly isSending: boolean }): void {
    if (isSending) this.#pauseWhenSending = end;
    else this.pausedUntil = end;
  }

  hint(): void {
    const { random } = this.#options;
    if (!this.state || this.conditions.isWatchSilent || random.chance(0.1)) return;
    this.#later(random.chance(0.1) ? random.between(300, 5_000) : random.between(2, 100), () =>
      this.#event({ type: 'hint' }),
    );
  }

  openUntil(slot: number): number {
    const { state } = this;
    const hold = state?.holds.get(slot);
    if (!state || state.end || !hold || hold.type === 'closing') return -Infinity;
    const until = Math.min(fenceEnd(state), hold.type === 'draining' ? hold.until : Infinity);
    return this.#trueTime(until);
  }

  isActive(slot: number): boolean {
    const { state } = this;
    return state !== undefined && slotPhase(state, slot) === 'active' && this.openUntil(slot) > this.#options.queue.now;
  }

  #localTime(): number {
    return this.#options.queue.now * this.#rate + this.#offset;
  }

  #trueTime(local: number): number {
    return (local - this.#offset) / this.#rate;
  }

  /** Runs `callback` after a delay, later if the process is paused then, and not at all if it has ended. */
  #later(delay: number, callback: () => void): void {
    const { queue } = this.#options;
    const life = this.#life;
    const run = () => {
      if (life !== this.#life) return;
      if (queue.now < this.pausedUntil) queue.at(this.pausedUntil, run);
      else callback();
    };
    queue.at(queue.now + delay, run);
  }

  #event(event: Untimed<MembershipEvent>): void {
    const { state } = this;
    if (!state) return;
    const result = transition(state, { ...event, now: this.#localTime() });
    this.state = result.state;
    for (const action of result.actions) this.#act(action);
    if (result.state.holds !== state.holds || result.state.fence !== state.fence || result.state.end) {
      this.#options.onChange(this);
    }
    this.#proceed();
  }

  #progress(slot: number, progress: SlotProgress): void {
    this.#event({ type: 'progress', slots: new Map([[slot, progress]]) });
  }

  #act(action: MembershipAction): void {
    const { random } = this.#options;
    if (action.type === 'ended') {
      const { rejoinAt } = this.state?.end ?? {};
      const isLeaving = this.state?.leaving !== undefined;
      if (rejoinAt === undefined || isLeaving) {
        this.crash();
        return;
      }
      this.#later(this.#trueTime(rejoinAt) - this.#options.queue.now, () => {
        this.state = undefined;
        this.start();
      });
    }
    if (action.type !== 'slot') return;
    const { slot, to } = action;
    if (to === 'warming') {
      this.#later(random.chance(0.5) ? 10 : random.between(10, 3_000), () => this.#progress(slot, 'warm'));
    }
    if (to === 'draining') this.#later(random.next() ** 2 * this.conditions.drain, () => this.#progress(slot, 'idle'));
    if (to === 'closing' && random.chance(0.9)) {
      this.#later(random.next() ** 2 * 2_000, () => this.#progress(slot, 'settled'));
    }
  }

  #proceed(): void {
    const { queue, random, sabotage } = this.#options;
    if (!this.state) return;
    const now = this.#localTime();
    const { state, request, wakeAt } = nextRequest(sabotage.idle?.(this.state) ?? this.state, {
      now,
      planId: String(random.next()),
    });
    const wasFence = this.state.fence;
    this.state = state;
    if (state.fence !== wasFence) this.#options.onChange(this);
    if (request) this.#send(sabotage.request?.(request, state, now) ?? request);
    if (state.end) return;
    if (wakeAt <= now) throw new Violation(`${this.id} wakes at once`);
    const at = Math.max(this.#trueTime(wakeAt), queue.now) + 0.01;
    if (at === this.#wakeAt || wakeAt === Infinity) return;
    this.#wakeAt = at;
    this.#later(at - queue.now, () => {
      if (this.#wakeAt !== at) return;
      this.#wakeAt = Infinity;
      this.#event({ type: 'time' });
    });
  }

  #send(request: HubRequest): void {
    const { queue, random, hub, sabotage } = this.#options;
    const { conditions } = this;
    const id = ++this.#request;
    this.#count(request);
    if (request.type === 'renew') {
      this.pausedUntil = Math.max(this.pausedUntil, this.#pauseWhenSending);
      this.#pauseWhenSending = 0;
    }
    const isSlow = random.chance(0.02);
    const toHub = isSlow ? random.between(100, 1_500) : random.between(1, 30);
    const isBroken = random.chance(conditions.loss);
    const isLost = conditions.isCutOff || (isBroken && random.chance(0.3));
    // A request that is late is applied after its sender gave it up.
    const late = isBroken && random.chance(0.3) ? random.between(0, 20_000) : 0;
    const isAnswerLost = (isBroken && random.chance(0.5)) || (conditions.losesAnswers && request.type !== 'read');
    const isForced = sabotage.isForced?.(request) ?? false;
    if (!isLost) {
      queue.at(queue.now + toHub + late + (sabotage.delay?.(request) ?? 0), () => {
        const answer = hub.apply(request, queue.now, { isForced });
        if (!isAnswerLost && !conditions.isCutOff) this.#later(random.between(1, 30), () => this.#answer(id, answer));
      });
    }
    const deadline = (this.state?.rules.requestDeadline ?? 0) / this.#rate;
    this.#later(deadline, () => {
      if (id === this.#request) this.#answer(id, { type: 'failed', error: NO_ANSWER });
    });
  }

  #answer(id: number, answer: HubAnswer): void {
    const { state } = this;
    const { sabotage } = this.#options;
    if (id !== this.#request || !state?.inFlight) return;
    this.#request++;
    const now = this.#localTime();
    this.state = sabotage.state?.(state, answer, now) ?? state;
    this.#event({ type: 'answered', answer: sabotage.answer?.(answer, state, now) ?? answer });
  }

  #count({ type }: HubRequest): void {
    const { now } = this.#options.queue;
    this.requests.push(now);
    if (type !== 'read' && type !== 'forget') this.writes++;
    const earlier = this.requests[this.requests.length - 1 - RATE_LIMIT];
    if (earlier !== undefined && now - earlier < 1_000)
      throw new Violation(`SH-17: ${this.id} sends ${RATE_LIMIT} requests a second`);
  }
}
