import type { MemberName, Plan, SlotAssignment } from '../plan/plan.ts';
import type { HubAnswer, HubRequest } from './hub-request.ts';
import type { MemberLease, MemberRecord } from './member-record.ts';
import type { MembershipAction, MembershipEvent, SlotProgress } from './membership-event.ts';
import type { Membership } from './membership.ts';
import { join } from './membership.ts';
import { nextRequest } from './next-request.ts';
import { DEFAULT_RULES } from './rules.ts';
import { transition } from './transition.ts';

type Untimed<Event> = Event extends unknown ? Omit<Event, 'now'> : never;

/** Drives one member by hand: tests set the Leases that it reads, the time, and what becomes of its requests. */
export class Script {
  state: Membership;
  now = 0;
  plan: Plan | undefined;
  readonly members = new Map<MemberName, MemberLease>();
  actions: MembershipAction[] = [];
  #version = 0;

  constructor(name: MemberName, { slots = 2 } = {}) {
    this.state = join({ name, rules: DEFAULT_RULES, slotCount: slots, weight: 1, formats: [1], mayBalance: true });
  }

  event(event: Untimed<MembershipEvent>): void {
    const result = transition(this.state, { ...event, now: this.now });
    this.state = result.state;
    this.actions.push(...result.actions);
  }

  progress(progress: SlotProgress, ...slots: readonly number[]): void {
    this.event({ type: 'progress', slots: new Map(slots.map((slot) => [slot, progress])) });
  }

  /** Returns the request that the member sends now, if any. */
  send(): HubRequest | undefined {
    const { state, request } = nextRequest(this.state, { now: this.now, planId: `id-${this.#version}` });
    this.state = state;
    return request;
  }

  answer(answer: HubAnswer): void {
    this.event({ type: 'answered', answer });
  }

  /** Lets the member send and succeed until it has nothing more to send. Returns the requests. */
  settle(): HubRequest[] {
    const requests: HubRequest[] = [];
    for (let request = this.send(); request && requests.length < 20; request = this.send()) {
      requests.push(request);
      this.answer(this.apply(request));
    }
    return requests;
  }

  /** Advances the time in steps of 100 ms, and lets the member act at each. Returns the requests. */
  advance(milliseconds: number): HubRequest[] {
    const requests: HubRequest[] = [];
    for (const end = this.now + milliseconds; this.now < end;) {
      this.now = Math.min(end, this.now + 100);
      this.event({ type: 'time' });
      requests.push(...this.settle());
    }
    return requests;
  }

  put(name: MemberName, record: Partial<MemberRecord> = {}): void {
    const resourceVersion = String(++this.#version);
    this.members.set(name, { type: 'member', name, resourceVersion, record: { ...blank(name), ...record } });
  }

  setPlan(epoch: number, slots: readonly SlotAssignment[], { id = `plan-${epoch}` } = {}): void {
    const owners = slots.flatMap(({ owner, wait }) => [owner, ...wait]);
    this.#version++;
    this.plan = { epoch, id, members: [...new Set([...owners, this.state.name])].sort(), slots };
  }

  /** Reads at once, as after a hint of the watch, and writes what follows from it. */
  read(): HubRequest[] {
    this.now += 200;
    this.event({ type: 'hint' });
    return this.settle();
  }

  apply(request: HubRequest): HubAnswer {
    const resourceVersion = String(++this.#version);
    switch (request.type) {
      case 'read': {
        const { plan } = this;
        const lease = plan && { type: 'plan' as const, plan, resourceVersion: `${plan.epoch}/${plan.id}` };
        return { type: 'snapshot', snapshot: { ...(lease && { plan: lease }), members: new Map(this.members) } };
      }
      case 'renew':
        this.members.set(request.record.name, {
          type: 'member',
          name: request.record.name,
          resourceVersion,
          record: request.record,
        });
        break;
      case 'release':
      case 'evict': {
        const name = request.type === 'evict' ? request.name : request.record.name;
        this.members.set(name, { type: 'out', name, resourceVersion });
        break;
      }
      case 'write plan':
        this.plan = request.plan;
        break;
      case 'forget':
        this.members.delete(request.name);
    }
    return { type: 'written', resourceVersion };
  }
}

function blank(name: MemberName): MemberRecord {
  const { leaseDuration, margin } = DEFAULT_RULES;
  return {
    ...{ name, acked: { epoch: 0, id: '' }, held: new Set<number>(), warm: new Set<number>(), state: 'active' },
    ...{ weight: 1, formats: [1], leaseDuration, margin, sequence: 1 },
  };
}
