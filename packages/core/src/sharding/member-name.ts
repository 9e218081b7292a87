import { randomBytes } from 'node:crypto';
import type { Membership } from './membership/membership.ts';
import type { MemberName } from './plan/plan.ts';

/** Returns the name of a new incarnation of a replica. */
export function newMemberName(replica: string): MemberName {
  return `${replica}-${randomText()}`;
}

/** Returns the replica of a member: its name without the random part. */
export function replicaOf(member: MemberName): string {
  const end = member.lastIndexOf('-');
  return end < 0 ? member : member.slice(0, end);
}

/** Whether another active member of the same replica renews its Lease: two processes have the same name. */
export function hasNamesake({ name, view, observations }: Pick<Membership, 'name' | 'view' | 'observations'>): boolean {
  for (const [other, lease] of view?.snapshot.members ?? []) {
    if (other === name || replicaOf(other) !== replicaOf(name)) continue;
    const isRenewed = observations.get(other)?.changedAt !== undefined;
    if (isRenewed && lease.type === 'member' && lease.record.state === 'active') return true;
  }
  return false;
}

export function randomText(): string {
  return randomBytes(5).toString('hex');
}
