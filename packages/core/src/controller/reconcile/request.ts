import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../../fleet/multicluster/cluster-name.ts';

/** Names the object to reconcile, and its cluster. Can be used as an object key of that cluster. */
export interface Request {
  readonly clusterName: ClusterName;
  /** `''` for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

/** The request's text: `cluster://<cluster>/<namespace>/<name>`, and `<namespace>/<name>` in the local cluster. */
export function requestKey(request: Request): string {
  const { clusterName } = request;
  const key = keyInCluster(request);
  return clusterName === LOCAL_CLUSTER ? key : `cluster://${clusterName}/${key}`;
}

function keyInCluster({ namespace, name }: Request): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** How a queue tells requests apart and knows their cluster. Upstream: the `ClusterAware` constraint. */
export interface RequestType<R> {
  /** Two requests of one cluster with one key are the same work. */
  key(request: R): string;
  clusterOf(request: R): ClusterName;
  /** The same request for another cluster. */
  withCluster(request: R, name: ClusterName): R;
}

/** The {@link RequestType} of {@link Request}. */
export const requestType: RequestType<Request> = {
  // A queue keeps its clusters apart: their names would only make keys that take longer to make and to look up.
  key: keyInCluster,
  clusterOf: (request) => request.clusterName,
  withCluster: (request, clusterName) => ({ ...request, clusterName }),
};

/** The option by which a custom request type is given; it can be left out for {@link Request}. */
export type RequestTypeOption<R> = Request extends R
  ? { readonly requestType?: RequestType<R> }
  : { readonly requestType: RequestType<R> };

/** The request type that an option gives, or {@link requestType}. */
export function resolveRequestType<R>(option: { readonly requestType?: RequestType<R> }): RequestType<R> {
  // The option can only be absent where `R` is `Request`: see RequestTypeOption.
  return option.requestType ?? (requestType as unknown as RequestType<R>);
}
