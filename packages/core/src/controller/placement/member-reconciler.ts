import type { KubernetesObject } from '@mcr/client';
import { matchesLabels, objectKeyText, parseLabelSelector } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { deleteFleetOwned } from '../../objects/fleet-owner/delete-fleet-owned.ts';
import type { ReconcileContext, Result } from '../reconcile/reconciler.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { applyPlaced } from './apply-placed.ts';
import type { PlacementCluster, PlacementOptions } from './placement-options.ts';
import { checkObjects, placedKey } from './placement-options.ts';
import type { PlacementOwners, SeenOwner } from './placement-owners.ts';
import type { PlacementEntry } from './placement-record.ts';
import { PLACEMENT_LABEL, textOf } from './placement-record.ts';
import type { PlacementRecords } from './placement-records.ts';
import type { VerifiedObjects, VerifiedOwner } from './verified-objects.ts';

/** Interval of checks whether objects with finalizers are gone, in milliseconds. Their deletion is an event as well. */
const DELETION_CHECK = 5_000;

export interface MemberReconcilerOptions<T extends KubernetesObject> {
  readonly controller: string;
  readonly options: PlacementOptions<T>;
  readonly owners: PlacementOwners<T>;
  readonly records: PlacementRecords;
  readonly verified: VerifiedObjects;
}

/** Reconciles one owner in one cluster. It runs in the replica that serves the cluster. */
export class MemberReconciler<T extends KubernetesObject> {
  readonly #options: MemberReconcilerOptions<T>;
  readonly #selects: (owner: SeenOwner<T>, cluster: PlacementCluster) => boolean;

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
    if (!owner?.isWanted) verified.forgetOwner(clusterName, objectKeyText({ namespace, name }));
    // The finalizer of the owner kept it until its objects were deleted, or were to remain.
    if (!owner) return {};
    // The request of the owner adds the finalizer, and its event causes this request again.
    if (owner.isWanted && !owner.hasFinalizer) return {};
    const cluster = await context.cluster();
    const target: PlacementCluster = { name: clusterName, labels: cluster.info.labels };
    const entry = await records.entry(owner.fleetOwner, clusterName, { signal });
    if (!owner.isWanted && !entry) return {};
    try {
      if (owner.isWanted && this.#selects(owner, target))
        return await this.#place(cluster, target, owner, entry, context);
      return entry ? await this.#clear(cluster, clusterName, owner, entry, context) : {};
    } catch (error) {
      await this.#failed(owner, clusterName, error, context);
      throw error;
    }
  }

  async #place(
    cluster: Cluster,
    target: PlacementCluster,
    owner: SeenOwner<T>,
    entry: PlacementEntry | undefined,
    { signal }: ReconcileContext,
  ): Promise<Result> {
    const { controller, options, owners, records, verified } = this.#options;
    const { fleetOwner, revision, object } = owner;
    const next = { cluster: target.name, revision };
    // Computed first, so that a mistake in the function does not add the cluster to the record.
    const objects = checkObjects(await options.objects(object, target), options.kinds);
    if (!entry) {
      await records.set(fleetOwner, { ...next, state: 'Placing' }, { signal });
      // The deletion of the owner waits for the clusters in the record. It may have read the record before this change.
      const live = await owners.findLive(object.metadata, signal);
      if (!live?.isWanted || !live.hasFinalizer || live.fleetOwner.uid !== fleetOwner.uid) {
        await records.remove(fleetOwner, target.name, { signal });
        return { requeueAfter: DELETION_CHECK };
      }
    }
    const fieldManager = fieldManagerOf(controller);
    const known = verified.of(target.name, cluster, objectKeyText(fleetOwner));
    const declared = new Set<string>();
    for (const placed of objects) {
      const key = placedKey(placed.kind, placed.configuration.metadata);
      declared.add(key);
      const call = { controller, owner: fleetOwner, fieldManager, verified: known.objects.get(key), signal };
      known.objects.set(key, await applyPlaced(cluster, placed, call));
    }
    const remaining = await this.#prune(cluster, owner, { known, declared, signal });
    const state = remaining > 0 ? waiting('Placing', remaining) : ({ state: 'Placed' } as const);
    await this.#record(owner, { ...next, ...state }, signal);
    return remaining > 0 ? { requeueAfter: DELETION_CHECK } : {};
  }

  /** Deletes the objects of a cluster that is not selected, or whose owner is being deleted. */
  async #clear(
    cluster: Cluster,
    name: string,
    owner: SeenOwner<T>,
    entry: PlacementEntry,
    { signal, log }: ReconcileContext,
  ): Promise<Result> {
    const { fleetOwner, revision } = owner;
    this.#options.verified.forgetOwner(name, objectKeyText(fleetOwner));
    const remaining = await this.#delete(cluster, owner, signal);
    if (remaining > 0) {
      await this.#record(owner, { ...entry, cluster: name, revision, ...waiting('Deleting', remaining) }, signal);
      return { requeueAfter: DELETION_CHECK };
    }
    await this.#options.records.remove(fleetOwner, name, { signal });
    log.info('deleted the placed objects');
    return {};
  }

  /** Deletes the objects that are not declared. It lists them only if there can be some. Returns how many still exist. */
  async #prune(
    cluster: Cluster,
    owner: SeenOwner<T>,
    {
      known,
      declared,
      signal,
    }: { readonly known: VerifiedOwner; readonly declared: ReadonlySet<string>; readonly signal: AbortSignal },
  ): Promise<number> {
    for (const key of known.objects.keys()) {
      if (declared.has(key)) continue;
      known.objects.delete(key);
      known.mayHaveOthers = true;
    }
    if (!known.mayHaveOthers) return 0;
    // Before the list, so that an event during the list is not lost.
    known.mayHaveOthers = false;
    try {
      const remaining = await this.#delete(cluster, owner, signal, declared);
      if (remaining > 0) known.mayHaveOthers = true;
      return remaining;
    } catch (error) {
      known.mayHaveOthers = true;
      throw error;
    }
  }

  /** Deletes placed objects, except for those of `declared`. Returns how many still exist. */
  async #delete(
    cluster: Cluster,
    { fleetOwner }: SeenOwner<T>,
    signal: AbortSignal,
    declared: ReadonlySet<string> = new Set(),
  ): Promise<number> {
    const { controller, options } = this.#options;
    return deleteFleetOwned(cluster, {
      owner: fleetOwner,
      kinds: options.kinds,
      labelSelector: `${PLACEMENT_LABEL}=${controller}`,
      keep: (kind, { metadata }) => declared.has(placedKey(kind, metadata)),
      signal,
    });
  }

  /** Records a failure, so that the status of the owner shows it. The reconcile fails with its own error. */
  async #failed(
    owner: SeenOwner<T>,
    cluster: string,
    thrown: unknown,
    { signal, log }: ReconcileContext,
  ): Promise<void> {
    if (signal.aborted) return;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    try {
      const { revision } = owner;
      await this.#record(owner, { cluster, revision, state: 'Failed', message }, signal);
    } catch (error) {
      log.debug('failed to record a failure', { error });
    }
  }

  async #record({ fleetOwner }: SeenOwner<T>, next: PlacementEntry, signal: AbortSignal): Promise<void> {
    const { records } = this.#options;
    const present = await records.entry(fleetOwner, next.cluster, { signal });
    if (present && isSame(present, next)) return;
    await records.set(fleetOwner, next, { signal });
  }
}

/** Returns the field manager of placed objects. */
export function fieldManagerOf(controller: string): string {
  return `mcr-placement-${controller}`;
}

function waiting(state: 'Placing' | 'Deleting', remaining: number): Pick<PlacementEntry, 'state' | 'message'> {
  return { state, message: `waiting for the deletion of ${remaining} objects` };
}

function isSame(a: PlacementEntry, b: PlacementEntry): boolean {
  return textOf(a) === textOf(b);
}
