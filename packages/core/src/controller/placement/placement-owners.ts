import type { DeepReadonly, Informer, Kind, KubernetesObject, LabelRequirement, ObjectKey } from '@mcr/client';
import { matchesLabels, parseLabelSelector } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { fleetHubId } from '../../objects/fleet-owner/fleet-hub-id.ts';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import { fleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import { containsFinalizer } from '../../objects/finalizer/finalizer.ts';
import type { PlacementOptions } from './placement-options.ts';

/** An owner, as one reconcile sees it. */
export interface OwnerSnapshot<T extends KubernetesObject> {
  readonly object: DeepReadonly<T>;
  readonly fleetOwner: FleetOwner;
  /** Whether its objects are to be placed, and not deleted. */
  readonly isSelected: boolean;
  readonly hasFinalizer: boolean;
  /** `metadata.generation`, or the resourceVersion of a kind without generations. Records have it as `observedGeneration`. */
  readonly generation: string;
}

/** The owners of a placement in the hub. */
export class PlacementOwners<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  /** Key of the finalizer that keeps an owner until its objects are deleted. */
  readonly finalizer: string;
  readonly scope: Pick<PlacementOptions<T>, 'labelSelector' | 'namespaces'>;
  readonly #hub: Cluster;
  readonly #selector: readonly LabelRequirement[];

  constructor(controller: string, hub: Cluster, kind: Kind<T>, { labelSelector, namespaces }: PlacementOptions<T>) {
    this.kind = kind;
    this.finalizer = `fleet.mcr.dev/${controller}`;
    this.scope = { ...(labelSelector !== undefined && { labelSelector }), ...(namespaces && { namespaces }) };
    this.#hub = hub;
    this.#selector = parseLabelSelector(labelSelector ?? '');
  }

  /** Returns an owner from the cache, or from the API server if the cache does not hold it. */
  async find(key: ObjectKey, signal: AbortSignal): Promise<OwnerSnapshot<T> | undefined> {
    const informer: Informer<T> = await this.#hub.cache.informer(
      this.kind,
      Object.keys(this.scope).length > 0 ? this.scope : undefined,
    );
    await informer.waitForSync(signal);
    const cached = informer.store.get(key);
    return cached ? this.#snapshot(cached, signal) : this.findLive(key, signal);
  }

  /** Returns an owner from the API server. */
  async findLive(key: ObjectKey, signal: AbortSignal): Promise<OwnerSnapshot<T> | undefined> {
    const live = await this.#hub.apiReader.find(this.kind, key, { signal });
    return live && this.#snapshot(live, signal);
  }

  async #snapshot(object: DeepReadonly<T>, signal: AbortSignal): Promise<OwnerSnapshot<T>> {
    const { apiVersion, kind } = this.kind;
    const { metadata } = object;
    const { namespaces } = this.scope;
    const isInScope =
      matchesLabels(this.#selector, metadata.labels) &&
      (namespaces === undefined || namespaces.includes(metadata.namespace ?? ''));
    return {
      object,
      fleetOwner: fleetOwner({ apiVersion, kind, metadata }, { hub: await fleetHubId(this.#hub, { signal }) }),
      isSelected: isInScope && metadata.deletionTimestamp === undefined,
      hasFinalizer: containsFinalizer({ metadata }, this.finalizer),
      generation: String(metadata.generation ?? metadata.resourceVersion),
    };
  }
}
