import type { KubernetesObject, Kind } from '@mcr/client';
import { parseApiVersion } from '@mcr/client';
import type { EventHandler } from './event-handler.ts';

export interface OwnerOptions {
  /** Only the owner that is the controller of the object. Default: every owner of the kind. */
  readonly onlyController?: boolean;
}

/**
 * Asks for the owners of the object that are of the kind `owner`, in the event's own cluster: an owner reference never
 * leaves it. Group and kind are compared, the version is not. An owner kind that is cluster-scoped has to say so by
 * its `scope`. (Upstream: `handler.EnqueueRequestForOwner`.)
 */
export function enqueueRequestForOwner(
  owner: Kind<KubernetesObject>,
  { onlyController = false }: OwnerOptions = {},
): EventHandler<KubernetesObject> {
  const { group } = parseApiVersion(owner.apiVersion);
  return (event, { queue }) => {
    const { clusterName } = event;
    const objects = event.type === 'update' ? [event.oldObject, event.object] : [event.object];
    for (const { metadata } of objects) {
      for (const { apiVersion, kind, name, controller } of metadata.ownerReferences ?? []) {
        if (kind !== owner.kind || parseApiVersion(apiVersion).group !== group) continue;
        if (onlyController && !controller) continue;
        queue.add({ clusterName, namespace: owner.scope === 'Cluster' ? '' : (metadata.namespace ?? ''), name });
      }
    }
  };
}
