import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { ClusterOwnership } from './cluster-ownership.ts';
import { ShardMember } from './shard-member.ts';
import type { ShardMemberOptions } from './shard-member.ts';
import type { Sharding } from './sharding.ts';

/**
 * Returns the part of a manager that divides its fleet among the replicas of a group.
 *
 * @param loadOf returns the load of a cluster. Default: 1.
 */
export function createSharding(
  { plan, ...options }: ShardMemberOptions & Pick<Sharding, 'plan'>,
  loadOf?: (name: ClusterName) => number,
): Sharding {
  const member = new ShardMember(options);
  const ownership = new ClusterOwnership(member, options.clock, loadOf);
  member.attach(ownership);
  return {
    plan,
    ownership,
    slots: ownership.slots,
    run: (signal) => member.run(signal),
    leave: () => member.leave(),
    status: () => ({ ...member.status(), refusedWrites: ownership.refusedWrites }),
  };
}
