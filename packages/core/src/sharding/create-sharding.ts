import type { ClusterOwnershipOptions } from './cluster-ownership.ts';
import { ClusterOwnership } from './cluster-ownership.ts';
import { planLeaseName } from './lease/group.ts';
import { LeaseHub, type LeaseHubOptions } from './lease/lease-hub.ts';
import { evictionTime } from './membership/rules.ts';
import { ShardMember } from './shard-member.ts';
import type { ShardMemberOptions } from './shard-member.ts';
import type { ShardingConfig } from './sharding-options.ts';
import type { Sharding } from './sharding.ts';

export type CreateShardingOptions = ShardingConfig &
  Pick<ShardMemberOptions, 'clock' | 'logger'> &
  Pick<LeaseHubOptions, 'client' | 'cache'> &
  Pick<ClusterOwnershipOptions, 'loadOf'>;

/** Returns the part of a manager that divides its fleet among the replicas of a group. */
export function createSharding(options: CreateShardingOptions): Sharding {
  const { group, rules, replicaId, weight, clock, logger, client, cache, loadOf } = options;
  const controllers = new Set<string>();
  const hub = new LeaseHub({
    group: { ...group, controllers },
    client,
    cache,
    clock,
    timeout: rules.requestDeadline,
    patience: evictionTime(rules),
  });
  const member = new ShardMember({ replicaId, weight, rules, slots: group.slots, hub, clock, logger });
  const ownership = new ClusterOwnership(member, { clock, loadOf, controllers });
  member.attach(ownership);
  return {
    plan: { namespace: group.namespace, name: planLeaseName(group) },
    ownership,
    slots: ownership.slots,
    run: (signal) => member.run(signal),
    leave: () => member.leave(),
    status: () => ({ ...member.status(), refusedWrites: ownership.refusedWrites }),
  };
}
