import type { Clock, KubernetesObject } from '@mcr/client';
import { matchesLabels, objectKeyText, parseLabelSelector, shortened } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import type { ReconcileContext, Result } from '../reconcile/reconciler.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import type { SlowedObject } from './apply-pace.ts';
import { ApplyPace, slowedObjects } from './apply-pace.ts';
import { applyPlaced } from './apply-placed.ts';
import type { PlacedBy } from './delete-placed.ts';
import { deletePlaced, findPlaced } from './delete-placed.ts';
import { inputsOf } from './desired-inputs.ts';
import { MissingRecordError } from './missing-record-error.ts';
import type { DesiredObject, PlacementCluster, PlacementOptions } from './placement-options.ts';
import { checkObjects, placedKey } from './placement-options.ts';
import type { PlacementOwners, OwnerSnapshot } from './placement-owners.ts';
import type { PlacementEntry } from './placement-record.ts';
import type { PlacementRecords } from './placement-records.ts';
import type { VerifiedObjects, VerifiedOwner } from './verified-objects.ts';

/** Interval of checks whether objects with finalizers are gone, in milliseconds. Their deletion is an event as well. */
const DELETION_CHECK = 5_000;

/**
 * Minimum time between two records of a failure of one owner in one cluster, in milliseconds. A member that fails and succeeds
 * by turns, and sends events, would cause writes in the hub at the speed of its events.
 */
const FAILURE_INTERVAL = 10_000;

/** Maximum length of the names of objects in a log line. */
const MAX_NAMES = 1_024;

export interface MemberReconcilerOptions<T extends KubernetesObject> {
  readonly controller: string;
  readonly options: PlacementOptions<T>;
  readonly owners: PlacementOwners<T>;
  readonly records: PlacementRecords;
  readonly verified: VerifiedObjects;
  readonly clock: Clock;
}

/** Reconciles one owner in one cluster. It runs in the replica that serves the cluster. */
export class MemberReconciler<T extends KubernetesObject> {
  readonly #options: MemberReconcilerOptions<T>;
  readonly #selects: (owner: OwnerSnapshot<T>, cluster: PlacementCluster) => boolean;

  constructor(options: MemberReconcilerOptions<T>) {
    this.#options = options;
    const { clusters } = options.options;
    const selector = typeof clusters === 'string' ? parseLabelSelector(clusters) : undefined;
    this.#selects = ({ object }, cluster) =>
      typeof clusters === 'function' ? clusters(object, cluster) : matchesLabels(selector ?? [], cluster.labels);
  }

  async reconcile({ clusterName, namespace, name }: ReconcileRequest, context: ReconcileContext): Promise<Result> {
    const { owners, records, verified } = this.#options;
    const { signal } = context;
    const owner = await owners.find({ namespace, name }, signal);
    const forget = () => verified.forgetOwner(clusterName, objectKeyText({ namespace, name }));
    if (!owner) {
      // The finalizer of the owner kept it until its objects were deleted, or were to remain.
      forget();
      return {};
    }
    // The request of the owner adds the finalizer, and its event causes this request again.
    if (owner.isSelected && !owner.hasFinalizer) return {};
    const cluster = await context.cluster();
    const target: PlacementCluster = { name: clusterName, labels: cluster.info.labels };
    const entry = await records.entry(owner.fleetOwner, clusterName, { signal });
    try {
      if (owner.isSelected && this.#selects(owner, target))
        return await this.#place(cluster, target, owner, entry, context);
      if (entry) return await this.#clear(cluster, clusterName, owner, context);
      forget();
      return {};
    } catch (error) {
      // The event of the record that the request of the owner creates causes this request again.
      if (error instanceof MissingRecordError) return { requeueAfter: DELETION_CHECK };
      await this.#failed(cluster, clusterName, owner, error, context);
      throw error;
    }
  }

  async #place(
    cluster: Cluster,
    target: PlacementCluster,
    owner: OwnerSnapshot<T>,
    cached: PlacementEntry | undefined,
    context: ReconcileContext,
  ): Promise<Result> {
    const { options, verified } = this.#options;
    const { signal } = context;
    // Computed first, so that a mistake in the function does not add the cluster to the record.
    const objects = checkObjects(await options.objects(owner.object, target), options.kinds);
    // Nothing is remembered of a cluster that has left meanwhile.
    signal.throwIfAborted();
    const known = verified.of(target.name, cluster, objectKeyText(owner.fleetOwner));
    const { mustReadRecord } = known;
    // Before the record is read, so that an event meanwhile is not lost.
    known.mustReadRecord = false;
    try {
      const { records } = this.#options;
      // Another replica may have served the cluster before, and the cache may not hold its last change.
      const live =
        mustReadRecord || !cached ? await records.liveEntry(owner.fleetOwner, target.name, { signal }) : undefined;
      if (!live && (mustReadRecord || !cached)) throw new MissingRecordError(records.keyOf(owner.fleetOwner));
      const { entry, record } = live ?? { entry: cached, record: undefined };
      return await this.#placeAll(cluster, target, owner, { objects, entry, record, known }, context);
    } catch (error) {
      known.mustReadRecord = true;
      throw error;
    }
  }

  async #placeAll(
    cluster: Cluster,
    target: PlacementCluster,
    owner: OwnerSnapshot<T>,
    {
      objects,
      entry,
      record,
      known,
    }: {
      readonly objects: readonly DesiredObject[];
      readonly entry: PlacementEntry | undefined;
      readonly record: string | undefined;
      readonly known: VerifiedOwner;
    },
    context: ReconcileContext,
  ): Promise<Result> {
    const { owners, records, clock } = this.#options;
    const { signal, log } = context;
    const { name } = target;
    const { fleetOwner, generation: observedGeneration } = owner;
    const placement = this.#placedBy(fleetOwner, signal);
    const pace = new ApplyPace({
      clock,
      inputs: () => inputsOf(owner.object, target),
      onSlowed: ({ message, ...fields }) =>
        log.warn('placed object does not settle, backing off', { ...fields, reason: message }),
    });
    const declared = objects.map(({ kind, configuration }) => placedKey(kind, configuration.metadata));
    const recorded = entry ? (entry.objects ?? (await findPlaced(cluster, placement))) : [];
    const all = union(recorded, declared);
    // The record names an object before it is applied, because only what it names is deleted. It never names what a search
    // has found, because a member can forge any number of names. Without names, the next reconcile searches again.
    const isSearched = entry !== undefined && !entry.objects;
    if (!entry?.objects || entry.objects.length < all.length) {
      await records.set(
        fleetOwner,
        { cluster: name, observedGeneration, state: 'Placing', ...(!isSearched && { objects: all }) },
        { signal, record, ...(isSearched && { present: entry }) },
      );
    }
    if (!entry) {
      // The deletion of the owner waits for the clusters in the record. It may have read the record before this change.
      const live = await owners.findLive(owner.object.metadata, signal);
      if (!live?.isSelected || !live.hasFinalizer || live.fleetOwner.uid !== fleetOwner.uid) {
        await records.remove(fleetOwner, name, { signal });
        return { requeueAfter: DELETION_CHECK };
      }
    }
    const named = new Set(recorded);
    for (const [index, object] of objects.entries()) {
      const key = declared[index] ?? '';
      const verified = known.objects.get(key);
      const call = { ...placement, isRecorded: named.has(key), verified, pace };
      known.objects.set(key, await applyPlaced(cluster, object, call));
    }
    const current = new Set(declared);
    for (const key of known.objects.keys()) if (!current.has(key)) known.objects.delete(key);
    const obsolete = recorded.filter((key) => !current.has(key));
    const remaining = await this.#delete(cluster, obsolete, placement, context);
    const [slowed] = slowedObjects(known.objects, clock.now());
    const next = {
      cluster: name,
      observedGeneration,
      ...stateOf(slowed, remaining),
      ...((!isSearched || remaining.length === 0) && { objects: union(declared, remaining) }),
    };
    await this.#record(owner, next, signal);
    const delays = [...(slowed ? [slowed.delay] : []), ...(remaining.length > 0 ? [DELETION_CHECK] : [])];
    return delays.length > 0 ? { requeueAfter: Math.min(...delays) } : {};
  }

  /** Deletes the objects of a cluster that is not selected, or whose owner is being deleted. */
  async #clear(cluster: Cluster, name: string, owner: OwnerSnapshot<T>, context: ReconcileContext): Promise<Result> {
    const { records, verified } = this.#options;
    const { signal, log } = context;
    const { fleetOwner, generation: observedGeneration } = owner;
    signal.throwIfAborted();
    const known = verified.of(name, cluster, objectKeyText(fleetOwner));
    known.objects.clear();
    known.mustReadRecord = true;
    const placement = this.#placedBy(fleetOwner, signal);
    // Another replica may have added objects that the cache does not hold yet.
    const entry = (await records.liveEntry(fleetOwner, name, { signal }))?.entry;
    const objects = entry && (entry.objects ?? (await findPlaced(cluster, placement)));
    const remaining = objects ? await this.#delete(cluster, objects, placement, context) : [];
    if (remaining.length > 0) {
      // See #placeAll for names that a search has found.
      const names = entry?.objects && { objects: remaining };
      const next = { cluster: name, observedGeneration, ...waiting('Deleting', remaining), ...names };
      await this.#record(owner, next, signal);
      return { requeueAfter: DELETION_CHECK };
    }
    verified.forgetOwner(name, objectKeyText(fleetOwner));
    if (!entry) return {};
    await records.remove(fleetOwner, name, { signal });
    log.info('deleted the placed objects');
    return {};
  }

  /** Deletes objects that the record names. Returns those that still exist. */
  async #delete(
    cluster: Cluster,
    objects: readonly string[],
    placement: PlacedBy,
    { log }: ReconcileContext,
  ): Promise<readonly string[]> {
    const { remaining, skipped } = await deletePlaced(cluster, objects, placement);
    if (skipped.length > 0) {
      log.warn('skipped objects whose marks do not say that the placement applied them', {
        objects: shortened(skipped.join(', '), MAX_NAMES),
        count: skipped.length,
      });
    }
    return remaining;
  }

  #placedBy(owner: FleetOwner, signal: AbortSignal): PlacedBy {
    const { controller, options } = this.#options;
    return { controller, owner, fieldManager: fieldManagerOf(controller), kinds: options.kinds, signal };
  }

  /** Records a failure, so that the status of the owner shows it. The reconcile fails with its own error. */
  async #failed(
    cluster: Cluster,
    clusterName: string,
    owner: OwnerSnapshot<T>,
    thrown: unknown,
    { signal, log }: ReconcileContext,
  ): Promise<void> {
    if (signal.aborted) return;
    const { records, verified, clock } = this.#options;
    const { fleetOwner, generation: observedGeneration } = owner;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const known = verified.of(clusterName, cluster, objectKeyText(fleetOwner));
    const now = clock.now();
    // A later retry records it, if it fails as well.
    if (known.failureRecordedAt !== undefined && now - known.failureRecordedAt < FAILURE_INTERVAL) return;
    try {
      const live = await records.liveEntry(fleetOwner, clusterName, { signal });
      if (!live) return;
      known.failureRecordedAt = now;
      // Without an entry, nothing was applied.
      const { objects } = live.entry ?? { objects: [] };
      const next: PlacementEntry = {
        cluster: clusterName,
        observedGeneration,
        state: 'Failed',
        message,
        ...(objects && { objects }),
      };
      await records.set(fleetOwner, next, { signal, record: live.record, present: live.entry });
    } catch (error) {
      log.debug('failed to record a failure', { error });
    }
  }

  async #record({ fleetOwner }: OwnerSnapshot<T>, next: PlacementEntry, signal: AbortSignal): Promise<void> {
    const { records } = this.#options;
    const present = await records.entry(fleetOwner, next.cluster, { signal });
    await records.set(fleetOwner, next, { signal, present });
  }
}

/** Returns the field manager of placed objects. */
export function fieldManagerOf(controller: string): string {
  return `mcr-placement-${controller}`;
}

function stateOf(
  slowed: SlowedObject | undefined,
  remaining: readonly string[],
): Pick<PlacementEntry, 'state' | 'message'> {
  if (slowed) return { state: 'Failed', message: slowed.message };
  return remaining.length > 0 ? waiting('Placing', remaining) : { state: 'Placed' };
}

function waiting(
  state: 'Placing' | 'Deleting',
  [first = '', ...others]: readonly string[],
): Pick<PlacementEntry, 'state' | 'message'> {
  const what = others.length === 0 ? '1 object' : `${others.length + 1} objects, the first one`;
  return { state, message: `waiting for the deletion of ${what}: ${first}` };
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].sort();
}
