import type { Kind, KubernetesObject } from '@mcr/client';
import { parseApiVersion } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { LOCAL_CLUSTER } from '../../fleet/multicluster/cluster-name.ts';
import { fleetHubId } from '../../objects/fleet-owner/fleet-hub-id.ts';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import { fleetOwnerOf } from '../../objects/fleet-owner/fleet-owner.ts';
import type { EventHandler } from './event-handler.ts';

/** Options of {@link enqueueRequestForFleetOwner}. */
export interface FleetOwnerHandlerOptions {
  /** The cluster of the owners. Default: the local cluster of the manager. */
  readonly hub?: Pick<Cluster, 'apiReader'>;
  /**
   * Cluster of the requests. `hub`: the local cluster, for a reconciler of the owner. `member`: the cluster of the event,
   * for a reconciler of one owner in one member. In a sharded fleet, only the latter reaches the replica that receives the
   * event. Default: `hub`.
   */
  readonly requestIn?: 'hub' | 'member';
  /** Whether the requests have the uid of the owner, for a controller that is sharded by uid. Default: false. */
  readonly uid?: boolean;
}

/**
 * Returns a handler that adds a request for the fleet owner of an object of a member, if its kind is `owner` and it is in
 * the hub. Kinds are compared by group and kind, without the version. It reads only metadata, so it fits a watch with
 * `metadataOnly`. See `setFleetOwner`.
 */
export function enqueueRequestForFleetOwner(
  owner: Kind<KubernetesObject>,
  { hub: given, requestIn = 'hub', uid: hasUid = false }: FleetOwnerHandlerOptions = {},
): EventHandler<KubernetesObject> {
  const { group } = parseApiVersion(owner.apiVersion);
  const isOfKind = ({ apiVersion, kind }: FleetOwner) =>
    kind === owner.kind && parseApiVersion(apiVersion).group === group;
  return (event, { queue, localCluster }) => {
    const states = event.type === 'update' ? [event.oldMetadata, event.metadata] : [event.metadata];
    const owners = states.map((metadata) => fleetOwnerOf({ metadata })).filter((present) => present !== undefined);
    const [found, ...others] = owners.filter(isOfKind);
    if (!found) return undefined;
    const hub = given ?? localCluster;
    if (!hub) {
      throw new TypeError(
        `enqueueRequestForFleetOwner(${owner.kind}): the manager has no local cluster: set the option "hub" to the cluster of the owners`,
      );
    }
    return fleetHubId(hub).then((id) => {
      const seen = new Set<string>();
      for (const { namespace, name, uid, ...of } of [found, ...others]) {
        const text = JSON.stringify([namespace, name, hasUid && uid]);
        if (of.hub !== id || seen.has(text)) continue;
        seen.add(text);
        const clusterName = requestIn === 'hub' ? LOCAL_CLUSTER : event.clusterName;
        queue.add({ clusterName, namespace, name, ...(hasUid && { uid }) });
      }
    });
  };
}
