import type { ComparedField, DeepReadonly, KubernetesObject, LazyObject, ObjectMeta } from '@mcr/client';
import { hasChanged } from '@mcr/client';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';

/**
 * Fields of every event. `object` and `metadata` are decoded when they are first read, and `metadata` costs less than
 * `object`. `key` costs least. Fields may be getters of a class, which a spread (`{ ...event }`) omits.
 */
export interface BaseEvent<T extends KubernetesObject> extends LazyObject<T> {
  /** The cluster of the object. */
  readonly clusterName: ClusterName;
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
  readonly oldMetadata: DeepReadonly<ObjectMeta>;
  /** Compares a field of the two states without decoding them. Default: the metadata is compared. */
  hasChanged?(field: ComparedField): boolean;
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
    (event.type === 'create' && event.initial) || (event.type === 'update' && !hasChanged(event, 'resourceVersion'));
  return unchanged ? LOW_PRIORITY : 0;
}
