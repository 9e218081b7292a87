import type { KubernetesObject } from '@mcr/client';
import type { EventHandler } from './event-handler.ts';

/** Asks for the event's object to be reconciled. (Upstream: `handler.EnqueueRequestForObject`.) */
export function enqueueRequestForObject(): EventHandler<KubernetesObject> {
  return ({ clusterName, object: { metadata } }, { queue }) =>
    queue.add({ clusterName, namespace: metadata.namespace ?? '', name: metadata.name });
}
