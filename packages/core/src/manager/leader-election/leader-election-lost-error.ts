import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';

/** This process lost its lease and has stopped its leader-elected work. It should exit and be restarted. */
export class LeaderElectionLostError extends McrError {
  override readonly name = 'LeaderElectionLostError';
  readonly [ERROR_BRAND] = '@mcr/core/LeaderElectionLostError';
}

/** Whether `error` is a {@link LeaderElectionLostError}. */
export function isLeaderElectionLost(error: unknown): error is LeaderElectionLostError {
  return hasBrand<LeaderElectionLostError>(error, '@mcr/core/LeaderElectionLostError');
}
