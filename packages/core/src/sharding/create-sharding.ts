import type { ClusterOwnershipOptions } from './cluster-ownership.ts';
import { ClusterOwnership } from './cluster-ownership.ts';
import { ShardMember } from './shard-member.ts';
import type { ShardMemberOptions } from './shard-member.ts';
import type { Sharding } from './sharding.ts';

export type CreateShardingOptions = ShardMemberOptions & ClusterOwnershipOptions & Pick<Sharding, 'plan'>;

/** Returns the part of a manager that divides its fleet among the replicas of a group. */
export function createSharding({ plan, loadOf, controllers, ...options }: CreateShardingOptions): Sharding {
  const member = new ShardMember(options);
  const { clock } = options;
  const ownership = new ClusterOwnership(member, { clock, loadOf, ...(controllers && { controllers }) });
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
