import { ClusterOwnership } from './cluster-ownership.ts';
import { ShardMember } from './shard-member.ts';
import type { ShardMemberOptions } from './shard-member.ts';
import type { Sharding } from './sharding.ts';

/** Returns the part of a manager that divides its fleet among the replicas of a group. */
export function createSharding(options: ShardMemberOptions): Sharding {
  const member = new ShardMember(options);
  const ownership = new ClusterOwnership(member, options.clock);
  member.attach(ownership);
  return {
    ownership,
    slots: ownership.slots,
    run: (signal) => member.run(signal),
    leave: () => member.leave(),
    status: () => ({ ...member.status(), refusedWrites: ownership.refusedWrites }),
  };
}
