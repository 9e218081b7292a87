import type { DeepReadonly, KubernetesObject } from '@mcr/client';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';

/** Fields of every event. */
export interface BaseEvent<T extends KubernetesObject> {
  /** The cluster of the object. */
  readonly clusterName: ClusterName;
  /** Shared and read-only. */
  readonly object: DeepReadonly<T>;
}

/** An object was created, or is seen for the first time. */
export interface CreateEvent<T extends KubernetesObject> extends BaseEvent<T> {
  readonly type: 'create';
  /** Whether the object existed before its source started. */
  readonly initial: boolean;
}

/**
 * An object changed. If the resource versions are equal, it did not change but was delivered again, for example by a
 * resync.
 */
export interface UpdateEvent<T extends KubernetesObject> extends BaseEvent<T> {
  readonly type: 'update';
  readonly oldObject: DeepReadonly<T>;
}

/** An object was deleted. */
export interface DeleteEvent<T extends KubernetesObject> extends BaseEvent<T> {
  readonly type: 'delete';
  /** Whether the deletion was missed. Then `object` is the last known state. */
  readonly finalStateUnknown: boolean;
}

/** An event from outside of the cluster. */
export interface GenericEvent<T extends KubernetesObject> extends BaseEvent<T> {
  readonly type: 'generic';
}

/** An event about one object of one cluster. (Upstream: package `event`.) */
export type ObjectEvent<T extends KubernetesObject = KubernetesObject> =
  CreateEvent<T> | UpdateEvent<T> | DeleteEvent<T> | GenericEvent<T>;

/** Priority of requests that are not caused by a change: first lists and resyncs. (Upstream: `handler.LowPriority`.) */
export const LOW_PRIORITY = -100;

/** Returns the default priority of the requests for an event. */
export function defaultPriority(event: ObjectEvent): number {
  const unchanged =
    (event.type === 'create' && event.initial) ||
    (event.type === 'update' && event.object.metadata.resourceVersion === event.oldObject.metadata.resourceVersion);
  return unchanged ? LOW_PRIORITY : 0;
}
