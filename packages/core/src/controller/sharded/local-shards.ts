import type { Logger } from '@mcr/client';
import { Shard } from '@mcr/client';
import type { WriteFence } from '../../fleet/fence/write-fence.ts';
import type { OwnershipState } from '../../fleet/multicluster/ownership.ts';
import type { SlotOwnership } from '../../fleet/multicluster/slot-ownership.ts';
import type { RequestType } from '../reconcile/request.ts';
import type { QueueItem } from '../workqueue/item.ts';
import type { AddOptions } from '../workqueue/request-queue.ts';
import type { WorkQueue } from '../workqueue/workqueue.ts';
import type { Fate } from './owned-requests.ts';
import { ServedParts } from './served-parts.ts';
import type { ShardBy } from './shard-by.ts';
import { rangesOf, slotBy } from './shard-by.ts';

export interface LocalShardsOptions<R> {
  readonly slots: SlotOwnership;
  readonly shardBy: ShardBy<R>;
  readonly queue: WorkQueue<R>;
  readonly requestType: RequestType<R>;
  readonly log: Logger;
  /** Called when the requests of slots are no longer reconciled here, before another replica reconciles them. */
  readonly onLost: (matches: (item: QueueItem<R>) => boolean) => void;
  /** Called with slots whose objects have to be delivered again. */
  readonly onGained: (slots: ReadonlySet<number>) => void;
}

/** The requests for the local cluster of a controller that divides them among replicas, by the slot of each request. */
export class LocalShards<R> {
  readonly #options: LocalShardsOptions<R>;
  readonly #served: ServedParts<number>;
  /** Requests of slots in handover that were handed out, by slot and key. The queue has them again when they may be reconciled. */
  readonly #waiting = new Map<number, Map<string, QueueItem<R>>>();
  /** Slots of requests that were handed out. `shardBy`, which is the caller's function, might return another one later. */
  readonly #slots = new WeakMap<QueueItem<R>, number>();
  /** @throws {TypeError} if the request has no key to divide by. */
  readonly slotOf: (request: R) => number;
  #ignoreChanges: (() => void) | undefined;

  constructor(options: LocalShardsOptions<R>) {
    const { slots, shardBy, requestType } = options;
    this.#options = options;
    this.#served = new ServedParts((slot) => slots.ownerOf(slot));
    this.slotOf = slotBy(shardBy, requestType, slots.count);
  }

  /** Follows the ownership until {@link close}. */
  follow(): void {
    const { slots } = this.#options;
    if (this.#ignoreChanges) return;
    this.#ignoreChanges = slots.onChange((changes) => this.#onChange(changes));
    const states = Array.from({ length: slots.count }, (_, slot) => [slot, slots.stateOf(slot)] as const);
    this.#onChange(new Map(states));
  }

  /** Ignores further changes of the ownership. */
  close(): void {
    this.#ignoreChanges?.();
    this.#waiting.clear();
  }

  /** Adds a request, unless its slot is owned elsewhere. Returns whether it was added. @throws like {@link slotOf}. */
  add(request: R, options?: AddOptions): boolean {
    if (this.#isElsewhere(this.slotOf(request))) return false;
    this.#options.queue.add(request, options);
    return true;
  }

  /** Forgets the requests that wait, because the local cluster was disengaged. */
  clear(): void {
    this.#waiting.clear();
  }

  /** Returns what becomes of a request that the queue handed out. A request that has to wait returns to the queue later. */
  dispose(item: QueueItem<R>): Fate {
    const slot = this.#slotIn(item);
    if (slot === undefined) return 'retry';
    if (this.#options.slots.stateOf(slot) === 'active') return 'reconcile';
    if (this.#isElsewhere(slot)) return 'drop';
    const waiting = this.#waiting.get(slot) ?? new Map<string, QueueItem<R>>();
    this.#waiting.set(slot, waiting.set(item.key, item));
    return 'drop';
  }

  begin(item: QueueItem<R>): () => void {
    return this.#options.slots.begin(this.#slots.get(item) ?? this.slotOf(item.request));
  }

  fenceOf(item: QueueItem<R>): WriteFence {
    return this.#options.slots.fenceOf(this.#slots.get(item) ?? this.slotOf(item.request));
  }

  #onChange(changes: ReadonlyMap<number, OwnershipState>): void {
    const { shardBy, slots, onLost, onGained } = this.#options;
    const { gained, lost } = this.#served.apply(changes);
    if (lost.size > 0) {
      for (const slot of lost) this.#waiting.delete(slot);
      onLost((item) => lost.has(this.#slotIn(item) ?? -1));
    }
    if (shardBy instanceof Shard) shardBy.update(rangesOf(this.#served, slots.count));
    for (const [slot, state] of changes) if (state === 'active') this.#resume(slot);
    for (const slot of [...this.#waiting.keys()]) if (this.#isElsewhere(slot)) this.#waiting.delete(slot);
    if (gained.size > 0) onGained(gained);
  }

  /** Whether another replica owns the slot. Before this replica has read a plan, the slot may be its own. */
  #isElsewhere(slot: number): boolean {
    const { slots } = this.#options;
    return slots.stateOf(slot) === 'elsewhere' && slots.ownerOf(slot) !== undefined;
  }

  /** Returns `undefined` if `shardBy` fails for a request that it has accepted before. */
  #slotIn(item: QueueItem<R>): number | undefined {
    try {
      const slot = this.#slots.get(item) ?? this.slotOf(item.request);
      this.#slots.set(item, slot);
      return slot;
    } catch (error) {
      this.#options.log.error('no shard for a request, retrying', { error });
      return undefined;
    }
  }

  #resume(slot: number): void {
    const waiting = this.#waiting.get(slot);
    if (!waiting) return;
    this.#waiting.delete(slot);
    for (const { request, priority } of waiting.values()) this.#options.queue.add(request, { priority });
  }
}
