import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';
import type { ClusterName } from './cluster-name.ts';

/** Options of {@link NotOwnerError}. */
export interface NotOwnerErrorOptions extends ErrorOptions {
  /** The replica that owns the cluster, if it is known. */
  readonly owner?: string | undefined;
  /** Why this process may not work on it now, although no other replica is known to own it. Default: another replica does. */
  readonly reason?: string;
}

/**
 * A write was not sent, or a cluster is not available, because this process does not own the cluster. Its owner
 * reconciles it.
 */
export class NotOwnerError extends McrError {
  override readonly name = 'NotOwnerError';
  readonly [ERROR_BRAND] = '@mcr/core/NotOwnerError';
  readonly clusterName: ClusterName;
  /** The replica that owns the cluster, if it is known. */
  readonly owner?: string;

  constructor(clusterName: ClusterName, { owner, reason, ...options }: NotOwnerErrorOptions = {}) {
    const subject = clusterName === '' ? 'the local cluster' : `cluster ${JSON.stringify(clusterName)}`;
    const other = owner === undefined ? 'another replica' : `replica ${owner}`;
    super(
      reason === undefined
        ? `this replica does not own ${subject}: ${other} owns it: work on it only in reconciles of its own requests, which run in the replica that owns it`
        : `this replica may not write to ${subject} now: ${reason}`,
      options,
    );
    this.clusterName = clusterName;
    if (owner !== undefined) this.owner = owner;
  }
}

/** Whether `error` is a {@link NotOwnerError}. */
export function isNotOwner(error: unknown): error is NotOwnerError {
  return hasBrand<NotOwnerError>(error, '@mcr/core/NotOwnerError');
}
