import type { KubernetesObject } from '@mcr/client';
import type { EventHandler } from './event-handler.ts';

/** Returns a handler that adds a request for the object of the event. (Upstream: `handler.EnqueueRequestForObject`.) */
export function enqueueRequestForObject(): EventHandler<KubernetesObject> {
  return ({ clusterName, key: { namespace = '', name } }, { queue }) => queue.add({ clusterName, namespace, name });
}
