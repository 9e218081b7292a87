import type { ClusterName } from './cluster-name.ts';

/** Marks the class across copies of this package, since providers are installed apart from the core. */
const BRAND = Symbol.for('@mcr/core/ClusterNotFoundError');

/** The fleet has no engaged cluster with this name. (Upstream: `multicluster.ErrClusterNotFound`.) */
export class ClusterNotFoundError extends Error {
  override readonly name = 'ClusterNotFoundError';
  readonly [BRAND] = true;
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
    if (BRAND in candidate) return candidate as ClusterNotFoundError;
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
