import { Namespace } from '@mcr/client';
import type { Permissions } from '../permissions/permissions.ts';
import { partText } from './claims.ts';
import type { Provider } from './provider.ts';

/** Declares what a fleet with this provider needs. */
export function requireOfProvider(permissions: Permissions, provider: Provider): void {
  permissions.require(partText('provider', provider), () => provider.permissions?.() ?? []);
  permissions.require('the identity of a cluster at a new endpoint', [
    { kind: Namespace, names: ['kube-system'], verbs: ['get'], in: 'members' },
  ]);
}
