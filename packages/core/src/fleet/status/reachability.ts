/** Reachability of an engaged cluster. */
export type Reachability =
  /** Left after {@link LIMIT} failed health checks in a row. */
  | { readonly state: 'reachable'; readonly failures: number }
  /** Left after the first successful health check. */
  | { readonly state: 'unreachable' };

export const INITIAL: Reachability = { state: 'reachable', failures: 0 };

/** Number of consecutive failures after which a cluster is unreachable. */
const LIMIT = 5;

/** Returns the next state after a health check. */
export function transition(before: Reachability, answer: 'answered' | 'failed'): Reachability {
  if (answer === 'answered') return INITIAL;
  if (before.state === 'unreachable') return before;
  const failures = before.failures + 1;
  return failures < LIMIT ? { state: 'reachable', failures } : { state: 'unreachable' };
}
