import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';
import type { ClusterName } from './cluster-name.ts';

/** The fleet has no engaged cluster with this name. (Upstream: `multicluster.ErrClusterNotFound`.) */
export class ClusterNotFoundError extends McrError {
  override readonly name = 'ClusterNotFoundError';
  readonly [ERROR_BRAND] = '@mcr/core/ClusterNotFoundError';
  readonly clusterName: ClusterName;
  /** Why this process does not serve the cluster, if the coordinator declined it. */
  readonly declined?: string;

  constructor(
    clusterName: ClusterName,
    options?: ErrorOptions & { readonly hint?: string; readonly declined?: string },
  ) {
    super(`cluster ${JSON.stringify(clusterName)} is not engaged${options?.hint ? `: ${options.hint}` : ''}`, options);
    this.clusterName = clusterName;
    if (options?.declined !== undefined) this.declined = options.declined;
  }
}

/** Returns the {@link ClusterNotFoundError} that `error` is, or wraps by `cause` or in an `AggregateError`. */
export function findClusterNotFound(error: unknown): ClusterNotFoundError | undefined {
  const seen = new Set<unknown>();
  const search = (candidate: unknown): ClusterNotFoundError | undefined => {
    if (!(candidate instanceof Error) || seen.has(candidate)) return undefined;
    seen.add(candidate);
    if (hasBrand<ClusterNotFoundError>(candidate, '@mcr/core/ClusterNotFoundError')) return candidate;
    for (const wrapped of candidate instanceof AggregateError ? (candidate.errors as unknown[]) : []) {
      const found = search(wrapped);
      if (found) return found;
    }
    return search(candidate.cause);
  };
  return search(error);
}

/** Whether `error` is or wraps a {@link ClusterNotFoundError}. */
export function isClusterNotFound(error: unknown): boolean {
  return findClusterNotFound(error) !== undefined;
}
