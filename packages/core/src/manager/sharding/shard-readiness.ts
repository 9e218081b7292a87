import type { ShardingStatus } from '../../sharding/sharding.ts';

/**
 * Checks whether a replica is ready: it may write, and it has acknowledged the current plan, which names it. Its slots are
 * then active or in handover. A Deployment that waits for it before it stops another replica moves each cluster once. A
 * replica that owns nothing, because its weight is 0, is ready too.
 *
 * @throws {Error} if it is not. The message names the problem that lasts longest, if there is one.
 */
export function checkShardReadiness({ fence, problem, isCurrent, isMember, epoch }: ShardingStatus): void {
  if (fence === 'open' && isCurrent && isMember) return;
  if (problem !== undefined) throw new Error(problem);
  if (fence === 'closed') throw new Error('this replica has not joined its group yet');
  if (!isCurrent) throw new Error(`this replica has not acknowledged the current plan: it acts on plan ${epoch}`);
  throw new Error('the plan does not name this replica yet: a new replica is added a few seconds after it has joined');
}
