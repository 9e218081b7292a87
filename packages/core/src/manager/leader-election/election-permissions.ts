import { EventsV1Event, Lease } from '@mcr/client';
import type { Permission } from '../../permissions/permission.ts';
import type { LeaderElectionConfig } from './leader-election-options.ts';

/** Returns what leader election needs in the local cluster. */
export function electionPermissions({ id, namespace }: LeaderElectionConfig): Permission[] {
  const lease = { kind: Lease, namespaces: [namespace], in: 'local' } as const;
  return [
    { ...lease, verbs: ['create'] },
    { ...lease, names: [id], verbs: ['get', 'patch'] },
    // Events of the Lease: who became leader, who stopped leading.
    { kind: EventsV1Event, namespaces: [namespace], verbs: ['create'], in: 'local' },
  ];
}
