/** Whether an engaged cluster answers. */
export type Reachability =
  /** Left when so many requests in a row have failed that it is not chance. */
  | { readonly state: 'reachable'; readonly failures: number }
  /** Left by the first answer. */
  | { readonly state: 'unreachable' };

export const INITIAL: Reachability = { state: 'reachable', failures: 0 };

/** Failures in a row that make a cluster unreachable. */
const LIMIT = 5;

/** What a request says of a cluster. */
export function transition(before: Reachability, answer: 'answered' | 'failed'): Reachability {
  if (answer === 'answered') return INITIAL;
  if (before.state === 'unreachable') return before;
  const failures = before.failures + 1;
  return failures < LIMIT ? { state: 'reachable', failures } : { state: 'unreachable' };
}
