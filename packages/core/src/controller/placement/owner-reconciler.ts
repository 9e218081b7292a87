import { isDeepStrictEqual } from 'node:util';
import type { Clock, DeepReadonly, Kind, KubernetesObject } from '@mcr/client';
import { shortened } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { Fleet } from '../../fleet/status/fleet.ts';
import type { Condition } from '../../objects/condition/condition.ts';
import { findCondition } from '../../objects/condition/condition.ts';
import type { ReconcileContext, Result } from '../reconcile/reconciler.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { fieldManagerOf } from './member-reconciler.ts';
import type { PlacedCluster } from './placed-status.ts';
import { PLACED, placedStatus } from './placed-status.ts';
import type { PlacementOptions } from './placement-options.ts';
import type { PlacementOwners, SeenOwner } from './placement-owners.ts';
import type { PlacementEntry } from './placement-record.ts';
import { entriesOf } from './placement-record.ts';
import type { PlacementRecords } from './placement-records.ts';

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
  readonly fleet: Pick<Fleet, 'get'>;
  readonly clock: Clock;
}

/** Fields of a status that the placement writes. */
interface StatusFields {
  readonly conditions?: readonly Condition[];
  readonly clusters?: readonly PlacedCluster[];
}

/**
 * Reconciles an owner in the hub: its finalizer, its status and its deletion. It runs in the replica that owns the request
 * for the hub, so that one replica writes them.
 */
export class OwnerReconciler<T extends KubernetesObject> {
  readonly #options: OwnerReconcilerOptions<T>;

  constructor(options: OwnerReconcilerOptions<T>) {
    this.#options = options;
  }

  async reconcile({ namespace, name }: ReconcileRequest, context: ReconcileContext): Promise<Result> {
    const { owners, records } = this.#options;
    const { signal } = context;
    const owner = await owners.find({ namespace, name }, signal);
    // Left behind if the finalizer was removed by hand, or a cluster failed just after the owner was gone.
    await records.deleteOutdated({ namespace, name }, owner?.fleetOwner.uid, { signal });
    if (!owner) return {};
    if (!owner.isWanted) return this.#finish(owner, context);
    if (!owner.hasFinalizer) {
      await this.#setFinalizers(owner, [...(owner.object.metadata.finalizers ?? []), owners.finalizer], signal);
      return {};
    }
    await this.#writeStatus(owner, await records.cached(owner.fleetOwner, { signal }), signal);
    return {};
  }

  /** Removes the finalizer when no cluster has objects of the owner, or when the remaining ones are given up. */
  async #finish(owner: SeenOwner<T>, { signal, log }: ReconcileContext): Promise<Result> {
    const { owners, records, clock } = this.#options;
    // Read from the API server after the deletion was seen: see MemberReconciler.
    const record = await records.live(owner.fleetOwner, { signal });
    const entries = entriesOf(record);
    const wait = entries.length === 0 ? 0 : this.#waitOf(owner, clock.wallTime());
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
    if (record) await records.delete(record, { signal });
    if (owner.hasFinalizer) {
      const others = (owner.object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== owners.finalizer);
      await this.#setFinalizers(owner, others, signal);
    }
    return {};
  }

  /** Returns how long the owner waits for its clusters, in milliseconds. */
  #waitOf({ object: { metadata } }: SeenOwner<T>, now: number): number {
    const { whenAway = 'wait' } = this.#options.options;
    // An owner that is no longer selected is not deleted, so that nothing is in a hurry.
    if (whenAway === 'wait' || metadata.deletionTimestamp === undefined) return Infinity;
    return Math.max(0, Date.parse(metadata.deletionTimestamp) + SECOND + whenAway.orphanAfter - now);
  }

  async #setFinalizers({ object }: SeenOwner<T>, finalizers: readonly string[], signal: AbortSignal): Promise<void> {
    const { hub, owners } = this.#options;
    const { resourceVersion, uid } = object.metadata;
    // A merge patch replaces the list, so that it must be based on the current one.
    await hub.client.patch(owners.kind, object.metadata, { metadata: { finalizers, resourceVersion, uid } }, 'merge', {
      signal,
    });
  }

  async #writeStatus(owner: SeenOwner<T>, entries: readonly PlacementEntry[], signal: AbortSignal): Promise<void> {
    const { controller, options, owners, hub, fleet, clock } = this.#options;
    if (options.status === false) return;
    const { object, revision, isWanted } = owner;
    const { namespace, name, generation } = object.metadata;
    const { conditions = [], clusters = [] } = statusOf(object);
    const present = findCondition(conditions, PLACED);
    const next = placedStatus({
      entries,
      revision,
      generation,
      isDeleting: !isWanted,
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
