import { EventsV1Event, Lease } from '@mcr/client';
import type { Permission } from '../permissions/permission.ts';
import type { ShardGroup } from './lease/group.ts';

/** Returns what a replica of a sharded fleet needs in the local cluster. */
export function shardingPermissions({ namespace }: Pick<ShardGroup, 'namespace'>): Permission[] {
  return [
    {
      kind: Lease,
      namespaces: [namespace],
      verbs: ['list', 'watch', 'create', 'update', 'delete'],
      in: 'local',
    },
    // The Event HandoverStorm.
    { kind: EventsV1Event, namespaces: [namespace], verbs: ['create'], in: 'local' },
  ];
}
