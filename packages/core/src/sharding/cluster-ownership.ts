import type { Clock } from '@mcr/client';
import { reconcileFence } from '../fleet/fence/current-fence.ts';
import { WriteFence } from '../fleet/fence/write-fence.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import type { Ownership, OwnershipState } from '../fleet/multicluster/ownership.ts';
import type { SlotOwnership } from '../fleet/multicluster/slot-ownership.ts';
import { slotOf } from './plan/slot.ts';
import type { SlotMembership, SlotWork } from './slot-membership.ts';

/** A period in which this process serves a slot without interruption. */
interface Tenancy {
  isOver: boolean;
}

/** Work of a replica for one slot that it serves. */
interface Served {
  /** Clusters of the slot that are prepared. */
  readonly warm: Set<ClusterName>;
  /** Number of reconciles in progress. */
  reconciles: number;
  /** Changes when this process gives the slot away, so that fences of earlier tenancies stay closed. */
  tenancy: Tenancy;
  /** Fences of this tenancy that writes have asked, by cluster. */
  readonly fences: Map<ClusterName, WriteFence>;
  /** Whether a callback is registered for the moment when unanswered writes have ended. */
  awaitsAnswers: boolean;
}

export interface ClusterOwnershipOptions {
  readonly clock: Clock;
  /** Returns the load of a cluster that this replica serves. Default: 1. */
  readonly loadOf?: ((name: ClusterName) => number) | undefined;
  /** Receives the names of the controllers whose requests are divided. Default: they are not recorded. */
  readonly controllers?: Set<string>;
}

/**
 * The ownership of clusters, by the slots of their names. A cluster that is owned elsewhere costs an entry in a set.
 */
export class ClusterOwnership implements Ownership, SlotWork {
  readonly measure?: () => ReadonlyMap<number, number>;
  readonly #membership: SlotMembership;
  readonly #clock: Clock;
  /** The declared clusters of each slot. */
  readonly #clusters = new Map<number, Set<ClusterName>>();
  readonly #controllers: Set<string>;
  /** Slots in another state than `elsewhere`, and slots with reconciles in progress. */
  readonly #served = new Map<number, Served>();
  readonly #listeners = new Set<(changes: ReadonlyMap<ClusterName, OwnershipState>) => void>();
  readonly #progressListeners = new Set<(slot: number | undefined) => void>();

  #refusedWrites = 0;

  constructor(membership: SlotMembership, { clock, loadOf, controllers = new Set() }: ClusterOwnershipOptions) {
    this.#membership = membership;
    this.#clock = clock;
    this.#controllers = controllers;
    if (loadOf) this.measure = () => this.#measure(loadOf);
    membership.onChange((changes) => this.#onChange(changes));
  }

  /** The slots themselves, for requests of the local cluster that are divided by other keys than its name. */
  get slots(): SlotOwnership {
    const membership = this.#membership;
    return {
      count: membership.slots,
      stateOf: (slot) => membership.stateOf(slot),
      ownerOf: (slot) => membership.ownerOf(slot),
      fenceOf: (slot) => this.#fenceOf(slot, LOCAL_CLUSTER),
      addController: (name, division) => void this.#controllers.add(`${name} ${division}`),
      begin: (slot) => this.#begin(slot),
      onChange: (listener) => membership.onChange(listener),
    };
  }

  /** Number of writes that were refused. */
  get refusedWrites(): number {
    return this.#refusedWrites;
  }

  stateOf(name: ClusterName): OwnershipState {
    return this.#membership.stateOf(this.#slotOf(name));
  }

  ownerOf(name: ClusterName): string | undefined {
    return this.#membership.ownerOf(this.#slotOf(name));
  }

  declare(name: ClusterName): void {
    const slot = this.#slotOf(name);
    const clusters = this.#clusters.get(slot);
    if (clusters?.has(name)) return;
    const wasWarm = this.isWarm(slot);
    if (clusters) clusters.add(name);
    else this.#clusters.set(slot, new Set([name]));
    this.#progressed(undefined);
    if (wasWarm) this.#progressed(slot);
  }

  forget(name: ClusterName): void {
    const slot = this.#slotOf(name);
    const clusters = this.#clusters.get(slot);
    if (!clusters?.delete(name)) return;
    if (clusters.size === 0) this.#clusters.delete(slot);
    const served = this.#served.get(slot);
    served?.warm.delete(name);
    // Unanswered writes still count until they have ended.
    if (served) this.#sweep(slot, served);
    this.#progressed(undefined);
    this.#progressed(slot);
  }

  warmed(name: ClusterName): void {
    const slot = this.#slotOf(name);
    if (this.#membership.stateOf(slot) !== 'warming' || !this.#clusters.get(slot)?.has(name)) return;
    this.#servedOf(slot).warm.add(name);
    this.#progressed(slot);
  }

  begin(name: ClusterName): () => void {
    return this.#begin(this.#slotOf(name));
  }

  #begin(slot: number): () => void {
    const served = this.#servedOf(slot);
    served.reconciles += 1;
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      served.reconciles -= 1;
      if (served.reconciles > 0) return;
      if (this.#membership.stateOf(slot) === 'elsewhere' && this.#served.get(slot) === served)
        this.#served.delete(slot);
      this.#progressed(slot);
    };
  }

  fenceOf(name: ClusterName): WriteFence {
    // A reconcile may outlast its tenancy. Its fence stays closed, also if this process owns the cluster again.
    const own = reconcileFence();
    return own?.clusterName === name ? own : this.#fenceOf(this.#slotOf(name), name);
  }

  #fenceOf(slot: number, name: ClusterName): WriteFence {
    const isServed = this.#membership.stateOf(slot) !== 'elsewhere';
    const served = isServed ? this.#servedOf(slot) : undefined;
    const present = served?.fences.get(name);
    if (present) return present;
    const tenancy = served?.tenancy;
    const fence = new WriteFence({
      clusterName: name,
      clock: this.#clock,
      mayWrite: () => !tenancy?.isOver && this.#membership.mayWrite(slot),
      refusal: () => {
        this.#refusedWrites += 1;
        const hasBeenLost = tenancy?.isOver && this.#membership.mayWrite(slot);
        const reason = hasBeenLost ? 'another replica owned it meanwhile' : this.#membership.refusalOf(slot);
        return { owner: this.#membership.ownerOf(slot), ...(reason !== undefined && { reason }) };
      },
      writeDeadline: this.#membership.writeDeadline,
    });
    if (served) {
      this.#sweep(slot, served);
      served.fences.set(name, fence);
    }
    return fence;
  }

  /** Removes the fences of clusters that are not in the fleet, once these are more than those that are. */
  #sweep(slot: number, { fences }: Served): void {
    const declared = this.#clusters.get(slot);
    if (fences.size <= 2 * (declared?.size ?? 0) + 1) return;
    for (const [name, fence] of fences) {
      if (name !== LOCAL_CLUSTER && !declared?.has(name) && fence.isSettled) fences.delete(name);
    }
  }

  onChange(listener: (changes: ReadonlyMap<ClusterName, OwnershipState>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the number of clusters of each slot. */
  loads(): ReadonlyMap<number, number> {
    return new Map([...this.#clusters].map(([slot, clusters]) => [slot, clusters.size]));
  }

  /** Measures only the slots that this replica serves, because it does not know the load of others. */
  #measure(loadOf: (name: ClusterName) => number): ReadonlyMap<number, number> {
    const measured = new Map<number, number>();
    for (const [slot, clusters] of this.#clusters) {
      if (this.#membership.stateOf(slot) === 'elsewhere') continue;
      let sum = 0;
      for (const name of clusters) sum += loadOf(name);
      measured.set(slot, sum);
    }
    return measured;
  }

  isWarm(slot: number): boolean {
    // Only declared clusters are in `warm`.
    return (this.#served.get(slot)?.warm.size ?? 0) === (this.#clusters.get(slot)?.size ?? 0);
  }

  isIdle(slot: number): boolean {
    return (this.#served.get(slot)?.reconciles ?? 0) === 0;
  }

  isSettled(slot: number): boolean {
    const served = this.#served.get(slot);
    if (!served) return true;
    const unsettled = [...served.fences.values()].find((fence) => !fence.isSettled);
    if (unsettled && !served.awaitsAnswers) {
      served.awaitsAnswers = true;
      unsettled.onSettled(() => {
        served.awaitsAnswers = false;
        this.#progressed(slot);
      });
    }
    return !unsettled;
  }

  onProgress(listener: (slot: number | undefined) => void): () => void {
    this.#progressListeners.add(listener);
    return () => this.#progressListeners.delete(listener);
  }

  #onChange(slots: ReadonlyMap<number, OwnershipState>): void {
    const changes = new Map<ClusterName, OwnershipState>();
    for (const [slot, state] of slots) {
      if (state === 'elsewhere' || state === 'warming') this.#endTenancy(slot);
      if (state === 'elsewhere' && this.isIdle(slot)) this.#served.delete(slot);
      for (const name of this.#clusters.get(slot) ?? []) changes.set(name, state);
    }
    for (const listener of [...this.#listeners]) listener(changes);
    // A slot without clusters is warm at once.
    for (const [slot, state] of slots) if (state === 'warming') this.#progressed(slot);
  }

  #endTenancy(slot: number): void {
    const served = this.#served.get(slot);
    if (!served) return;
    served.tenancy.isOver = true;
    served.tenancy = { isOver: false };
    served.fences.clear();
    served.warm.clear();
    served.awaitsAnswers = false;
  }

  #progressed(slot: number | undefined): void {
    for (const listener of [...this.#progressListeners]) listener(slot);
  }

  #servedOf(slot: number): Served {
    const present = this.#served.get(slot);
    if (present) return present;
    const served: Served = {
      warm: new Set(),
      reconciles: 0,
      tenancy: { isOver: false },
      fences: new Map(),
      awaitsAnswers: false,
    };
    this.#served.set(slot, served);
    return served;
  }

  #slotOf(name: ClusterName): number {
    return slotOf(name, { slots: this.#membership.slots, hash: 'mixed' });
  }
}
