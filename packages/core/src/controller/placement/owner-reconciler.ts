import { isDeepStrictEqual } from 'node:util';
import type { Clock, DeepReadonly, Kind, KubernetesObject, ObjectKey } from '@mcr/client';
import { isConflict, isNotFound, objectKeyText, shortened } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { LOCAL_CLUSTER } from '../../fleet/multicluster/cluster-name.ts';
import type { Fleet } from '../../fleet/status/fleet.ts';
import type { Condition } from '../../objects/condition/condition.ts';
import { findCondition } from '../../objects/condition/condition.ts';
import type { ReconcileContext, Result } from '../reconcile/reconciler.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { fieldManagerOf } from './member-reconciler.ts';
import { MIN_WAIT, orphanWait, OwnerWaits } from './owner-waits.ts';
import type { PlacementClusterStatus } from './placement-status.ts';
import { PLACED, placementStatus } from './placement-status.ts';
import type { PlacementOptions } from './placement-options.ts';
import type { PlacementOwners, OwnerSnapshot } from './placement-owners.ts';
import type { PlacementEntry } from './placement-record.ts';
import { entriesOf } from './placement-record.ts';
import type { PlacementRecords } from './placement-records.ts';
import { isRebuilt } from './placement-records.ts';

/** Precision of timestamps, in milliseconds. API servers leave fractions of a second out. */
const SECOND = 1_000;

/** Maximum length of the names of clusters in a log line. */
const MAX_NAMES = 1_024;

export interface OwnerReconcilerOptions<T extends KubernetesObject> {
  readonly controller: string;
  readonly options: PlacementOptions<T>;
  readonly owners: PlacementOwners<T>;
  readonly records: PlacementRecords;
  readonly hub: Cluster;
  readonly fleet: Pick<Fleet, 'get' | 'list'>;
  readonly clock: Clock;
}

/** Fields of a status that the placement writes. */
interface StatusFields {
  readonly conditions?: readonly Condition[];
  readonly clusters?: readonly PlacementClusterStatus[];
}

/**
 * Reconciles an owner in the hub: its finalizer, its status and its deletion. It runs in the replica that owns the request
 * for the hub, so that one replica writes them.
 */
export class OwnerReconciler<T extends KubernetesObject> {
  readonly #options: OwnerReconcilerOptions<T>;
  /** The uids of owners whose record was deleted because no cluster has objects, by the text of their key. */
  readonly #released = new Map<string, string>();
  /** Owners that are being deleted, by their uid. */
  readonly #deletions: OwnerWaits;
  /** Owners whose record replaces a lost one, by the uid of the record. */
  readonly #searches: OwnerWaits;

  constructor(options: OwnerReconcilerOptions<T>) {
    this.#options = options;
    this.#deletions = new OwnerWaits(options.clock);
    this.#searches = new OwnerWaits(options.clock);
  }

  async reconcile({ namespace, name }: ReconcileRequest, context: ReconcileContext): Promise<Result> {
    const { owners, records } = this.#options;
    const { signal } = context;
    const owner = await owners.find({ namespace, name }, signal);
    await this.#deleteOutdated({ namespace, name }, owner, signal);
    const text = objectKeyText({ namespace, name });
    if (!owner) {
      this.#released.delete(text);
      this.#deletions.forget(text);
      this.#searches.forget(text);
      return {};
    }
    if (!owner.isSelected) return this.#finish(owner, context);
    this.#deletions.forget(text);
    const { fleetOwner } = owner;
    const record = (await records.cached(fleetOwner, { signal })) ?? (await records.live(fleetOwner, { signal }));
    if (!record && this.#hasLostRecord(owner)) {
      await this.#rebuild(owner, context);
      return {};
    }
    this.#released.delete(text);
    if (record && isRebuilt(record)) this.#searches.waited(text, record.metadata.uid);
    await records.ensure(fleetOwner, record, { signal });
    if (!owner.hasFinalizer) {
      // After the record, so that an owner with a finalizer and without a record has lost it.
      return this.#setFinalizers(owner, [...(owner.object.metadata.finalizers ?? []), owners.finalizer], signal);
    }
    await this.#writeStatus(owner, entriesOf(record), signal);
    if (record) await records.compact(record, { signal });
    return {};
  }

  /** Deletes the records of earlier owners with a key. Their finalizers were removed by hand, or this process has stopped. */
  async #deleteOutdated(key: ObjectKey, owner: OwnerSnapshot<T> | undefined, signal: AbortSignal): Promise<void> {
    const { owners, records } = this.#options;
    const outdated = records.outdated(key, owner?.fleetOwner.uid);
    if (outdated.length === 0) return;
    // The cache may hold an earlier owner than the record.
    const live = owner && (await owners.findLive(key, signal));
    for (const earlier of outdated) {
      if (earlier.uid === live?.fleetOwner.uid) continue;
      const record = await records.live(earlier, { signal });
      if (record) await records.delete(record, { signal });
    }
  }

  /**
   * Creates a record again that was lost, although it has a finalizer. Each cluster of the fleet may have objects, and its
   * request searches for them.
   */
  async #rebuild({ fleetOwner, isSelected }: OwnerSnapshot<T>, { signal, log }: ReconcileContext): Promise<void> {
    const { records, fleet } = this.#options;
    const clusters = fleet.list().filter(({ name }) => name !== LOCAL_CLUSTER);
    const state = isSelected ? 'Placing' : 'Deleting';
    const message = 'the placement record was lost: the cluster is searched for objects';
    log.warn('the placement record of an owner was lost, searching for its objects in all clusters', {
      clusters: clusters.length,
    });
    await records.ensure(fleetOwner, undefined, {
      lost: clusters.map(({ name }) => ({ cluster: name, state, observedGeneration: '', message })),
      signal,
    });
  }

  /** Removes the finalizer when no cluster has objects of the owner, or when the remaining ones are given up. */
  async #finish(owner: OwnerSnapshot<T>, context: ReconcileContext): Promise<Result> {
    const { owners, records } = this.#options;
    const { signal, log } = context;
    // Read from the API server after the deletion was seen: see MemberReconciler.
    const record = await records.live(owner.fleetOwner, { signal });
    if (!record && this.#hasLostRecord(owner)) {
      await this.#rebuild(owner, context);
      return {};
    }
    if (record) await records.ensure(owner.fleetOwner, record, { signal });
    const entries = entriesOf(record);
    const text = objectKeyText(owner.fleetOwner);
    const search = record && isRebuilt(record) ? MIN_WAIT - this.#searches.waited(text, record.metadata.uid) : 0;
    if (entries.length === 0 && search > 0) return { requeueAfter: search };
    const waited = this.#deletions.waited(text, owner.fleetOwner.uid);
    const wait = entries.length === 0 ? 0 : this.#waitOf(owner, waited);
    if (wait > 0) {
      await this.#writeStatus(owner, entries, signal);
      return Number.isFinite(wait) ? { requeueAfter: wait } : {};
    }
    if (entries.length > 0) {
      const names = entries.map(({ cluster }) => cluster).join(', ');
      log.warn('deleting an owner whose objects remain in clusters that did not delete them in time', {
        clusters: shortened(names, MAX_NAMES),
        count: entries.length,
      });
    }
    // The record may have been completed above.
    const last = record && (await records.live(owner.fleetOwner, { signal }));
    if (last) {
      if (entriesOf(last).length > entries.length) return { requeueAfter: SECOND };
      await records.delete(last, { signal });
    }
    if (!owner.hasFinalizer) return {};
    this.#released.set(text, owner.fleetOwner.uid);
    const others = (owner.object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== owners.finalizer);
    return this.#setFinalizers(owner, others, signal);
  }

  /** Returns whether an owner without a record had one, which this process has not deleted. */
  #hasLostRecord({ fleetOwner, hasFinalizer }: OwnerSnapshot<T>): boolean {
    return hasFinalizer && this.#released.get(objectKeyText(fleetOwner)) !== fleetOwner.uid;
  }

  /** Returns how long the owner waits for its clusters, in milliseconds. @param waited how long it has waited here. */
  #waitOf({ object: { metadata } }: OwnerSnapshot<T>, waited: number): number {
    const { clock, options } = this.#options;
    const { deletionPolicy = 'wait' } = options;
    // An owner that is only unselected has no deletion time to count from.
    if (deletionPolicy === 'wait' || metadata.deletionTimestamp === undefined) return Infinity;
    const sinceDeletion = clock.wallTime() - Date.parse(metadata.deletionTimestamp) - SECOND;
    return orphanWait(deletionPolicy.orphanAfter, { sinceDeletion, waited });
  }

  /** Sets the finalizers of an owner. If the cache holds an earlier version of the owner, it asks for another attempt. */
  async #setFinalizers(
    { object }: OwnerSnapshot<T>,
    finalizers: readonly string[],
    signal: AbortSignal,
  ): Promise<Result> {
    const { hub, owners } = this.#options;
    const { resourceVersion, uid } = object.metadata;
    // A merge patch replaces the list, so that it must be based on the current one.
    const patch = { metadata: { finalizers, resourceVersion, uid } };
    try {
      await hub.client.patch(owners.kind, object.metadata, patch, 'merge', { signal });
      return {};
    } catch (error) {
      if (isConflict(error)) return { requeueAfter: SECOND };
      if (isNotFound(error)) return {};
      throw error;
    }
  }

  async #writeStatus(owner: OwnerSnapshot<T>, entries: readonly PlacementEntry[], signal: AbortSignal): Promise<void> {
    const { controller, options, owners, hub, fleet, clock } = this.#options;
    if (options.status === false) return;
    const { object, generation: current, isSelected } = owner;
    const { namespace, name, generation } = object.metadata;
    const { conditions = [], clusters = [] } = statusOf(object);
    const present = findCondition(conditions, PLACED);
    const next = placementStatus({
      entries,
      current,
      generation,
      isDeleting: !isSelected,
      isAway: (cluster) => (fleet.get(cluster)?.phase ?? 'Disengaged') === 'Disengaged',
      present,
      clock,
    });
    if (isDeepStrictEqual([next.conditions, next.clusters], [present ? [present] : [], clusters])) return;
    const kind: Kind<KubernetesObject> = owners.kind;
    const configuration = { metadata: { name, ...(namespace !== undefined && { namespace }) }, status: next };
    await hub.client.status.apply(kind, configuration, {
      fieldManager: fieldManagerOf(controller),
      force: true,
      signal,
    });
  }
}

/** Returns the status of an owner. The kind of the owner has it if the placement writes it. */
function statusOf(object: DeepReadonly<KubernetesObject>): StatusFields {
  const { status } = object as { readonly status?: StatusFields };
  return status ?? {};
}
