import type { ControlPlaneFleet } from '@mcr/envtest';
import { parse, stringify } from 'yaml';

type Kubeconfig = Readonly<Record<'clusters' | 'users' | 'contexts', readonly object[]>>;

/** Returns one kubeconfig with a context for the hub, which is the current one, and for each member. */
export function fleetKubeconfig({ hub, members }: Pick<ControlPlaneFleet, 'hub' | 'members'>): string {
  const ofHub = parse(hub.kubeconfig) as Kubeconfig;
  const all = [ofHub, ...members.map(({ kubeconfig }) => parse(kubeconfig) as Kubeconfig)];
  return stringify({
    ...ofHub,
    clusters: all.flatMap(({ clusters }) => clusters),
    users: all.flatMap(({ users }) => users),
    contexts: all.flatMap(({ contexts }) => contexts),
  });
}
