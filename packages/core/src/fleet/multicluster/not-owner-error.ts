import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';
import type { ClusterName } from './cluster-name.ts';

/** Options of {@link NotOwnerError}. */
export interface NotOwnerErrorOptions extends ErrorOptions {
  /** The replica that owns the cluster, if it is known. */
  readonly owner?: string | undefined;
  /** Why this process may not write to it now, if it is not that another replica owns it. Default: none. */
  readonly reason?: string | undefined;
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
    super(messageOf(clusterName, { owner, reason }), options);
    this.clusterName = clusterName;
    if (owner !== undefined) this.owner = owner;
  }
}

function messageOf(clusterName: ClusterName, { owner, reason }: NotOwnerErrorOptions): string {
  const subject = clusterName === '' ? 'the local cluster' : `cluster ${JSON.stringify(clusterName)}`;
  if (reason !== undefined) return `this replica may not write to ${subject} now: ${reason}`;
  if (owner === undefined) return `the owner of ${subject} is not known yet: retry later`;
  return `${subject} is owned by replica ${owner}: work on it in reconciles of its own requests, which run in that replica`;
}

/** Whether `error` is a {@link NotOwnerError}. */
export function isNotOwner(error: unknown): error is NotOwnerError {
  return hasBrand<NotOwnerError>(error, '@mcr/core/NotOwnerError');
}
