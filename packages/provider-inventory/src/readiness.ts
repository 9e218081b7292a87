import type { DeepReadonly } from '@mcr/core';
import { findCondition } from '@mcr/core';
import type { ClusterProfile } from './cluster-profile.ts';

/** Whether a profile reports its control plane as healthy, and its cluster as joined. */
export function isHealthy({ status }: DeepReadonly<ClusterProfile>): boolean {
  const is = (type: string) => findCondition(status?.conditions, type)?.status;
  return is('ControlPlaneHealthy') === 'True' && is('Joined') !== 'False';
}
