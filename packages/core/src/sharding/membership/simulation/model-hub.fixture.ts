import type { MemberName, Plan } from '../../plan/plan.ts';
import type { HubAnswer, HubRequest, HubSnapshot } from '../hub-request.ts';
import type { MemberLease, PlanLease } from '../member-record.ts';

/** A change of the hub that watches report. Plain renewals are left out. */
export type HubListener = () => void;

/** The Leases of a group, with versions and preconditions as an API server has them. */
export class ModelHub {
  plan: PlanLease | undefined;
  readonly members = new Map<MemberName, MemberLease>();
  /** All plans that were applied by members, oldest first, with their times. */
  readonly plans: { readonly plan: Plan; readonly at: number }[] = [];
  /** Earlier contents of each member's Lease, for rollbacks by hand. */
  readonly records = new Map<MemberName, MemberLease[]>();
  #version = 0;

  readonly onChange: HubListener;

  constructor(onChange: HubListener) {
    this.onChange = onChange;
  }

  version(): string {
    return String(++this.#version);
  }

  snapshot(): HubSnapshot {
    return { ...(this.plan && { plan: this.plan }), members: new Map(this.members) };
  }

  /** Applies a request. With `isForced`, preconditions are ignored. */
  apply(request: HubRequest, at: number, { isForced = false } = {}): HubAnswer {
    switch (request.type) {
      case 'read':
        return { type: 'snapshot', snapshot: this.snapshot() };
      case 'write plan': {
        if (!isForced && this.plan?.resourceVersion !== request.resourceVersion) return { type: 'conflict' };
        this.plans.push({ plan: request.plan, at });
        return this.#written(this.putPlan({ type: 'plan', plan: request.plan, resourceVersion: this.version() }));
      }
      case 'renew': {
        const { name } = request.record;
        if (!this.#matches(name, request.resourceVersion, isForced)) return { type: 'conflict' };
        const previous = this.members.get(name);
        const isPlain = previous?.type === 'member' && isPlainRenewal(previous.record, request.record);
        const lease: MemberLease = { type: 'member', name, record: request.record, resourceVersion: this.version() };
        const history = this.records.get(name) ?? [];
        history.push(lease);
        this.records.set(name, history);
        this.members.set(name, lease);
        if (!isPlain) this.onChange();
        return this.#written(lease.resourceVersion);
      }
      case 'release':
      case 'evict': {
        const name = request.type === 'evict' ? request.name : request.record.name;
        if (!this.#matches(name, request.resourceVersion, isForced)) return { type: 'conflict' };
        return this.#written(this.putMember({ type: 'out', name, resourceVersion: this.version() }));
      }
      case 'forget':
        if (!this.#matches(request.name, request.resourceVersion, isForced)) return { type: 'conflict' };
        this.members.delete(request.name);
        return this.#written(this.version());
    }
  }

  putPlan(lease: PlanLease | undefined): string {
    this.plan = lease;
    this.onChange();
    return lease?.resourceVersion ?? this.version();
  }

  putMember(lease: MemberLease): string {
    this.members.set(lease.name, lease);
    this.onChange();
    return lease.resourceVersion;
  }

  #matches(name: MemberName, resourceVersion: string | undefined, isForced: boolean): boolean {
    return isForced || this.members.get(name)?.resourceVersion === resourceVersion;
  }

  #written(resourceVersion: string): HubAnswer {
    return { type: 'written', resourceVersion };
  }
}

interface Comparable {
  readonly acked: { readonly epoch: number };
  readonly held: ReadonlySet<number>;
  readonly warm: ReadonlySet<number>;
  readonly state: string;
}

function isPlainRenewal(before: Comparable, after: Comparable): boolean {
  return (
    before.acked.epoch === after.acked.epoch &&
    before.held.size === after.held.size &&
    before.warm.size === after.warm.size &&
    before.state === after.state
  );
}
