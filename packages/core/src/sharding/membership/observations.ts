import type { MemberName } from '../plan/plan.ts';
import type { HubSnapshot } from './hub-request.ts';
import type { MemberLease } from './member-record.ts';
import type { MembershipRules } from './rules.ts';
import { evictionTime } from './rules.ts';

/** The history of another member's Lease, on its own monotonic clock. */
export interface Observation {
  /** The version that was seen last. Absent: a plan names the member, and its Lease is missing. */
  readonly resourceVersion?: string;
  /** When this version, or the absence, was first seen without an interruption since. */
  readonly since: number;
  /** When the member was first seen. */
  readonly firstSeen: number;
  /** When another version than the one before was seen last: the member renewed its Lease. Absent: never. */
  readonly changedAt?: number;
  /** Time without a change after which the member's fence is certain to be closed. */
  readonly patience: number;
  /** When the member was first seen to be leaving. */
  readonly leavingSince?: number;
  /** When the member was first seen to be out. */
  readonly outSince?: number;
}

export type Observations = ReadonlyMap<MemberName, Observation>;

export interface ObserveOptions {
  readonly snapshot: HubSnapshot;
  /** Members that plans name. Those without a Lease are observed as missing. */
  readonly named: ReadonlySet<MemberName>;
  /** When the snapshot was received. Its content may be older, so it proves nothing about earlier times. */
  readonly now: number;
  /** This member was cut off since the previous snapshot: an unchanged Lease proves nothing, so all starts again. */
  readonly wasCutOff: boolean;
  readonly rules: MembershipRules;
}

/** Returns the observations after a snapshot. */
export function observe(previous: Observations, options: ObserveOptions): Observations {
  const { snapshot, named } = options;
  const next = new Map<MemberName, Observation>();
  for (const [name, lease] of snapshot.members) next.set(name, observeOne(previous.get(name), lease, options));
  for (const name of named) {
    if (!next.has(name)) next.set(name, observeOne(previous.get(name), undefined, options));
  }
  return next;
}

function observeOne(
  previous: Observation | undefined,
  lease: MemberLease | undefined,
  options: ObserveOptions,
): Observation {
  const { now, wasCutOff, rules } = options;
  const resourceVersion = lease?.resourceVersion;
  const isUnchanged = previous !== undefined && previous.resourceVersion === resourceVersion && !wasCutOff;
  const isRenewed = lease?.type === 'member' && previous !== undefined && previous.resourceVersion !== resourceVersion;
  const changedAt = isRenewed ? now : previous?.changedAt;
  const stated = lease?.type === 'member' ? evictionTime(lease.record) : 0;
  const isLeaving = lease?.type === 'member' && lease.record.state === 'leaving';
  return {
    ...(resourceVersion !== undefined && { resourceVersion }),
    since: isUnchanged ? previous.since : now,
    firstSeen: previous?.firstSeen ?? now,
    ...(changedAt !== undefined && { changedAt }),
    patience: Math.max(evictionTime(rules), stated, previous?.patience ?? 0),
    ...(isLeaving && { leavingSince: previous?.leavingSince ?? now }),
    ...(lease?.type === 'out' && { outSince: previous?.outSince ?? now }),
  };
}

/** Whether a Lease did not change, or was missing, for so long that the member's fence is certain to be closed. */
export function isSilent({ since, patience }: Observation, now: number): boolean {
  return now - since >= patience;
}

/** The members that are out: their Lease says so, or it is missing for long enough. */
export function outMembers(snapshot: HubSnapshot, observations: Observations, now: number): ReadonlySet<MemberName> {
  const out = new Set<MemberName>();
  for (const [name, lease] of snapshot.members) if (lease.type === 'out') out.add(name);
  for (const [name, observation] of observations) {
    if (!snapshot.members.has(name) && isSilent(observation, now)) out.add(name);
  }
  return out;
}
