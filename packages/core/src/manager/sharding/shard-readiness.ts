import type { ShardingStatus } from '../../sharding/sharding.ts';

/**
 * Checks whether a replica is ready: it may write, and it has acknowledged the current plan. Its slots are then active
 * or in handover. A replica that owns nothing yet, because it joined just now or has the weight 0, is ready too.
 *
 * @throws {Error} if it is not.
 */
export function checkShardReadiness({ fence, problem, isCurrent, epoch }: ShardingStatus): void {
  if (fence === 'closed') throw new Error(problem ?? 'this replica has not joined its group yet');
  if (!isCurrent) throw new Error(`this replica has not acknowledged the current plan: it acts on plan ${epoch}`);
}
