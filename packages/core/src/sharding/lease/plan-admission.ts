import type { Clock, DeepReadonly, Lease } from '@mcr/client';
import type { MemberLease, PlanLease } from '../membership/member-record.ts';
import type { MemberName } from '../plan/plan.ts';
import { controllersProblem } from './controllers.ts';
import type { ShardGroup } from './group.ts';
import { planLeaseName, ShardGroupMismatchError } from './group.ts';
import { readPlanLease } from './plan-lease.ts';
import { PlanUsage } from './plan-use.ts';

export interface PlanAdmissionOptions {
  readonly group: ShardGroup;
  readonly clock: Clock;
  /** Time without a renewal after which a replica counts as crashed, in milliseconds. */
  readonly patience: number;
}

/** Reads the plan, and refuses this replica if the plan belongs to another group or program. */
export class PlanAdmission {
  readonly #options: PlanAdmissionOptions;
  /** Controllers in the plan as last read. */
  #controllers: readonly string[] = [];
  readonly #usage: PlanUsage;
  /** Why the last readable plan refused this replica, and whether its members are still there if it was lost since. */
  #refusal: { readonly error: ShardGroupMismatchError; readonly usage: PlanUsage } | undefined;

  constructor(options: PlanAdmissionOptions) {
    this.#options = options;
    this.#usage = new PlanUsage(options.patience);
  }

  /** The controllers that the plan named when it was read last. */
  get controllers(): readonly string[] {
    return this.#controllers;
  }

  /**
   * Reads the plan.
   *
   * @throws {ShardGroupMismatchError} if it refuses this replica.
   */
  read(lease: DeepReadonly<Lease> | undefined, members: ReadonlyMap<MemberName, MemberLease>): PlanLease | undefined {
    const { group, clock, patience } = this.#options;
    let plan: PlanLease | undefined;
    try {
      plan = lease && readPlanLease(lease, group);
      if (plan && plan.type !== 'unreadable') {
        plan = this.#checked(plan, members);
        this.#refusal = undefined;
        return plan;
      }
    } catch (error) {
      // After the plan is deleted, its members are silent for the eviction time before they come back.
      if (error instanceof ShardGroupMismatchError) this.#refusal = { error, usage: new PlanUsage(2 * patience) };
      throw error;
    }
    // A replica that was refused must not take the group over when the plan is lost: its members write a new one.
    const { error, usage } = this.#refusal ?? {};
    const named = [...members.keys()];
    if (error && usage?.useOf('', { named, members, now: clock.now() }) === 'used') throw error;
    return plan;
  }

  /** @throws {ShardGroupMismatchError} if replicas of another program use the plan. */
  #checked(plan: PlanLease, members: ReadonlyMap<MemberName, MemberLease>): PlanLease {
    const { group, clock } = this.#options;
    const { resourceVersion } = plan;
    if (plan.type !== 'plan') return plan;
    this.#controllers = plan.controllers ?? [];
    const problem = controllersProblem(planLeaseName(group), group, this.#controllers);
    if (problem === undefined) return plan;
    const use = this.#usage.useOf(resourceVersion, { named: plan.plan.members, members, now: clock.now() });
    if (use === 'released') return plan;
    if (use === 'used') throw new ShardGroupMismatchError(problem);
    // A plan that replaces an unreadable one is acted on only after a member that was paused has noticed it (rule 8).
    return {
      type: 'unreadable',
      resourceVersion,
      reason: 'it belongs to replicas with other controllers, which crashed',
    };
  }
}
