/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/core/LeaderElectionLostError');

/** This process has lost its lease, and has stopped what only a leader may do. It should end, and be started anew. */
export class LeaderElectionLostError extends Error {
  override readonly name = 'LeaderElectionLostError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link LeaderElectionLostError}. */
export function isLeaderElectionLost(error: unknown): error is LeaderElectionLostError {
  return error instanceof Error && BRAND in error;
}
