import type { ConfigMap, Kind, KubernetesObject, Logger } from '@mcr/client';
import { objectKeyText } from '@mcr/client';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../../fleet/multicluster/cluster-name.ts';
import { fleetOwnerOf } from '../../objects/fleet-owner/fleet-owner.ts';
import type { ClusterEvent } from '../event/cluster-event.ts';
import { hasChanged } from '@mcr/client';
import type { ObjectEvent } from '../event/event.ts';
import type { EventHandler } from '../handler/event-handler.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import type { PlacementRecords } from './placement-records.ts';
import { placedKey } from './placement-options.ts';
import { clusterOf } from './placement-record.ts';
import type { VerifiedObjects } from './verified-objects.ts';

type OwnerKey = Omit<ReconcileRequest, 'clusterName' | 'uid'>;

/**
 * Maps events to the requests of a placement: one for each owner in each engaged cluster, and one for the owner itself,
 * which is in the local cluster. It remembers the keys of the owners and the names of the clusters, so that whichever is
 * known later causes the requests.
 */
export class PlacementRequests {
  readonly #records: PlacementRecords;
  readonly #verified: VerifiedObjects;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #clusters = new Set<ClusterName>();
  /** Clusters in which an object without a valid owner was reported. */
  readonly #reported = new Set<ClusterName>();
  readonly #owners = new Map<string, OwnerKey>();
  /** Owners that have a record, also if they no longer exist or are no longer selected. */
  readonly #recorded = new Map<string, OwnerKey>();

  constructor(records: PlacementRecords, verified: VerifiedObjects, log: Pick<Logger, 'warn'>) {
    this.#records = records;
    this.#verified = verified;
    this.#log = log;
  }

  /** Handles events of owners. */
  readonly ofOwner: EventHandler<KubernetesObject> = ({ type, key: { namespace = '', name } }, { queue }) => {
    const key: OwnerKey = { namespace, name };
    if (type === 'delete') this.#owners.delete(objectKeyText(key));
    else this.#owners.set(objectKeyText(key), key);
    queue.add({ clusterName: LOCAL_CLUSTER, ...key });
    for (const clusterName of this.#clusters) queue.add({ clusterName, ...key });
  };

  /** Handles events of records. */
  readonly ofRecord: EventHandler<ConfigMap> = (event, { queue }) => {
    const owner = this.#records.ownerOf(event);
    if (!owner) {
      // Its annotation was changed: the request of the owner repairs it.
      const previous = event.type === 'update' && this.#records.ownerOf({ metadata: event.oldMetadata });
      if (previous) queue.add({ clusterName: LOCAL_CLUSTER, namespace: previous.namespace, name: previous.name });
      return;
    }
    const key: OwnerKey = { namespace: owner.namespace, name: owner.name };
    queue.add({ clusterName: LOCAL_CLUSTER, ...key });
    if (event.type === 'delete') {
      this.#records.gone(owner, event.metadata.name);
      this.#recorded.delete(objectKeyText(key));
      // If it was lost, the request of the owner creates it again, and that event adds these requests again.
      for (const clusterName of this.#clusters) queue.add({ clusterName, ...key });
      return;
    }
    this.#records.observed(owner, event.metadata);
    this.#recorded.set(objectKeyText(key), key);
    if (event.type === 'create') for (const clusterName of this.#clusters) queue.add({ clusterName, ...key });
    // A cluster whose field was removed by another one than its own request.
    if (event.type === 'update') {
      for (const clusterName of removedFrom(event)) {
        if (this.#clusters.has(clusterName)) queue.add({ clusterName, ...key });
      }
    }
  };

  /** Returns a handler of the events of placed objects, which records the events and passes them to `handler`. */
  ofPlaced(kind: Kind<KubernetesObject>, handler: EventHandler<KubernetesObject>): EventHandler<KubernetesObject> {
    return (event, context) => {
      const { clusterName } = event;
      const states = event.type === 'update' ? [event.metadata, event.oldMetadata] : [event.metadata];
      const owners = states.map((metadata) => fleetOwnerOf({ metadata })).filter((owner) => owner !== undefined);
      const known = owners.map(objectKeyText).filter((key) => this.#owners.has(key) || this.#recorded.has(key));
      for (const key of known) this.#verified.observed(clusterName, key, placedKey(kind, event.key));
      // The first event of an owner causes requests in all clusters, so that none is lost.
      if (known.length > 0) return handler(event, context);
      if (owners.length === 0) this.#ignored(kind, event);
      return undefined;
    };
  }

  /** Logs the first object of a cluster whose marks name no owner. Everyone who may patch an object can set them. */
  #ignored(kind: Kind<KubernetesObject>, { clusterName, key }: ObjectEvent): void {
    if (this.#reported.has(clusterName)) return;
    this.#reported.add(clusterName);
    const object = placedKey(kind, key);
    this.#log.warn('ignoring objects with the label of the placement and without a valid owner', {
      cluster: clusterName,
      object,
    });
  }

  /** Maps events of clusters. */
  readonly ofCluster = (event: ClusterEvent): ReconcileRequest[] => {
    const { type, clusterName } = event;
    if (type === 'engaged') this.#clusters.add(clusterName);
    if (type === 'disengaged') {
      this.#clusters.delete(clusterName);
      this.#reported.delete(clusterName);
      this.#verified.forgetCluster(clusterName);
    }
    const keys = new Map([...this.#recorded, ...this.#owners]).values();
    const target = type === 'disengaged' ? LOCAL_CLUSTER : clusterName;
    return Array.from(keys, (key) => ({ clusterName: target, ...key }));
  };
}

/** Drops updates that change neither the specification nor the labels, annotations, finalizers or deletion of an object. */
export function isSignificant(event: ObjectEvent): boolean {
  if (event.type !== 'update' || event.metadata.generation === undefined) return true;
  if (hasChanged(event, 'generation') || hasChanged(event, 'labels') || hasChanged(event, 'annotations')) return true;
  const { oldMetadata, metadata } = event;
  return (
    oldMetadata.deletionTimestamp !== metadata.deletionTimestamp ||
    oldMetadata.uid !== metadata.uid ||
    String(oldMetadata.finalizers) !== String(metadata.finalizers)
  );
}

function removedFrom({
  oldObject,
  object,
}: Extract<ObjectEvent<ConfigMap>, { readonly type: 'update' }>): ClusterName[] {
  const { data = {} } = object;
  return Object.entries(oldObject.data ?? {}).flatMap(([field, text]) => {
    const cluster = Object.hasOwn(data, field) ? undefined : clusterOf(text);
    return cluster === undefined ? [] : [cluster];
  });
}
