import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';
import type { ClusterName } from '../multicluster/cluster-name.ts';

/**
 * A call was not sent, or was aborted, because its cluster is slow or parked. It is the abort reason of a preempted
 * reconcile's signal, and the error of a reconcile's call to a parked cluster. The request is reconciled again.
 */
export class ClusterIsolatedError extends McrError {
  override readonly name = 'ClusterIsolatedError';
  readonly [ERROR_BRAND] = '@mcr/core/ClusterIsolatedError';
  readonly clusterName: ClusterName;
  readonly state: 'slow' | 'parked';

  constructor(clusterName: ClusterName, state: 'slow' | 'parked', reason: string) {
    super(
      `${clusterName === '' ? 'the local cluster' : `cluster ${JSON.stringify(clusterName)}`} is ${state}: ${reason}`,
    );
    this.clusterName = clusterName;
    this.state = state;
  }
}

/** Whether `error` is a {@link ClusterIsolatedError}. */
export function isClusterIsolated(error: unknown): error is ClusterIsolatedError {
  return hasBrand<ClusterIsolatedError>(error, '@mcr/core/ClusterIsolatedError');
}
