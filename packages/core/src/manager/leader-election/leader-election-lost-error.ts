/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/core/LeaderElectionLostError');

/** This process lost its lease and has stopped its leader-elected work. It should exit and be restarted. */
export class LeaderElectionLostError extends Error {
  override readonly name = 'LeaderElectionLostError';
  readonly [BRAND] = true;
}

/** Whether `error` is a {@link LeaderElectionLostError}. */
export function isLeaderElectionLost(error: unknown): error is LeaderElectionLostError {
  return error instanceof Error && BRAND in error;
}
