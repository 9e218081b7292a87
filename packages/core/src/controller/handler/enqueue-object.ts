import type { KubernetesObject } from '@mcr/client';
import type { EventHandler } from './event-handler.ts';

/** Options of {@link enqueueRequestForObject}. */
export interface ObjectOptions {
  /** Whether the requests have the uid of the object, for a controller that is sharded by uid. Default: false. */
  readonly uid?: boolean;
}

/** Returns a handler that adds a request for the object of the event. (Upstream: `handler.EnqueueRequestForObject`.) */
export function enqueueRequestForObject({ uid = false }: ObjectOptions = {}): EventHandler<KubernetesObject> {
  return uid ? enqueueWithUid : enqueue;
}

const enqueue: EventHandler<KubernetesObject> = ({ clusterName, key: { namespace = '', name } }, { queue }) =>
  queue.add({ clusterName, namespace, name });

const enqueueWithUid: EventHandler<KubernetesObject> = (event, { queue }) => {
  const { clusterName, key, metadata } = event;
  const { namespace = '', name } = key;
  // An update may replace an object that was deleted by one that was created with the same name.
  const uids = new Set([...(event.type === 'update' ? [event.oldMetadata.uid] : []), metadata.uid]);
  for (const uid of uids) queue.add({ clusterName, namespace, name, uid });
};
