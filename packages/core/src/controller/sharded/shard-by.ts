import type { ShardField } from '@mcr/client';
import { foundText, Shard, shortened } from '@mcr/client';
import type { Division } from '../../fleet/multicluster/slot-ownership.ts';
import { slotOf } from '../../sharding/plan/slot.ts';
import type { RequestType } from '../reconcile/request.ts';

/**
 * How a controller of a sharded fleet divides its requests for the local cluster among the replicas:
 *
 * - A function returns the key of a request. Requests with equal keys have the same owner. It must always return the same
 * key for a request.
 * - `namespace` and `uid`: by these fields of the request. The handlers must set `uid`.
 * - A `Shard`: by its field, like `namespace` and `uid`. The controller keeps its ranges equal to the slots that this
 * replica serves, so that informers with this shard hold only their objects.
 */
export type ShardBy<R> = ShardField | Shard | ((request: R) => string);

const MAX_TEXT = 256;

/**
 * Returns a function that returns the slot of a request. It throws a `TypeError` if the request has no key.
 *
 * @param slots number of slots.
 */
export function slotBy<R>(shardBy: ShardBy<R>, type: RequestType<R>, slots: number): (request: R) => number {
  const refuse = (request: R, problem: string): never => {
    throw new TypeError(`request ${JSON.stringify(shortened(type.key(request), MAX_TEXT))}: ${problem}`);
  };
  if (typeof shardBy === 'function') {
    return (request) => {
      const key: unknown = shardBy(request);
      if (typeof key === 'string') return slotOf(key, { slots, hash: 'mixed' });
      return refuse(request, `shardBy must return a string, found ${foundText(key)}`);
    };
  }
  const field = fieldOf(shardBy);
  return (request) => {
    const value = (request as Partial<Record<ShardField, unknown>>)[field];
    if (typeof value === 'string') return slotOf(value, { slots, hash: 'plain' });
    const remedy =
      field === 'uid'
        ? 'set it in the handler: by the option uid of enqueueRequestForObject and enqueueRequestForOwner, or in the keys of enqueueMapped'
        : 'set it';
    return refuse(request, `its field ${field} is missing, by which the controller is sharded: ${remedy}`);
  };
}

/** Whether the requests of a controller need the uid of their object. */
export function isShardedByUid<R>(shardBy: ShardBy<R> | undefined): boolean {
  return shardBy !== undefined && typeof shardBy !== 'function' && fieldOf(shardBy) === 'uid';
}

/** Returns how a controller with this option divides its requests for the local cluster. */
export function divisionOf<R>(shardBy: ShardBy<R> | undefined): Division {
  if (shardBy === undefined) return 'cluster';
  return typeof shardBy === 'function' ? 'function' : fieldOf(shardBy);
}

function fieldOf(shardBy: ShardField | Shard): ShardField {
  return shardBy instanceof Shard ? shardBy.selector.field : shardBy;
}

/** Returns the ranges of hashes of the slots, for {@link Shard.update}. @param count number of slots of the group. */
export function rangesOf(slots: Iterable<number>, count: number): { start: bigint; end: bigint }[] {
  const size = 2n ** 64n / BigInt(count);
  return Array.from(slots, (slot) => ({ start: BigInt(slot) * size, end: BigInt(slot + 1) * size }));
}
