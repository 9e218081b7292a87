import type { DeepReadonly, KubernetesObject } from '@mcr/client';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';

interface EventOf<T extends KubernetesObject> {
  /** The cluster that the object is in. */
  readonly clusterName: ClusterName;
  /** Shared and read-only. */
  readonly object: DeepReadonly<T>;
}

/** An object is there: it was created, or is seen for the first time. */
export interface CreateEvent<T extends KubernetesObject> extends EventOf<T> {
  readonly type: 'create';
  /** The object was there before its source began. */
  readonly initial: boolean;
}

/** An object changed. Equal resource versions: it did not, it was listed again. */
export interface UpdateEvent<T extends KubernetesObject> extends EventOf<T> {
  readonly type: 'update';
  readonly oldObject: DeepReadonly<T>;
}

/** An object is gone. */
export interface DeleteEvent<T extends KubernetesObject> extends EventOf<T> {
  readonly type: 'delete';
  /** The deletion itself was missed; `object` is what was last known. */
  readonly finalStateUnknown: boolean;
}

/** Something outside of the cluster wants an object reconciled. */
export interface GenericEvent<T extends KubernetesObject> extends EventOf<T> {
  readonly type: 'generic';
}

/** What a source tells of one object of one cluster. (Upstream: package `event`.) */
export type ObjectEvent<T extends KubernetesObject = KubernetesObject> =
  CreateEvent<T> | UpdateEvent<T> | DeleteEvent<T> | GenericEvent<T>;

/** The priority of requests that no change asked for: first lists and resyncs. (Upstream: `handler.LowPriority`.) */
export const LOW_PRIORITY = -100;

/** The priority of a request that `event` asks for, unless its handler says otherwise. */
export function defaultPriority(event: ObjectEvent): number {
  const unchanged =
    (event.type === 'create' && event.initial) ||
    (event.type === 'update' && event.object.metadata.resourceVersion === event.oldObject.metadata.resourceVersion);
  return unchanged ? LOW_PRIORITY : 0;
}
