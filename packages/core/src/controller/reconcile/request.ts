import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../../fleet/multicluster/cluster-name.ts';

/**
 * Names the object to reconcile and its cluster. Clients accept it as an object key. (Upstream: `mcreconcile.Request`.)
 */
export interface ReconcileRequest {
  readonly clusterName: ClusterName;
  /** `''` for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  /**
   * The uid of the object, in a controller that is sharded by uid. An object that is created again with the same name has
   * another uid, and its request is another one.
   */
  readonly uid?: string;
}

/**
 * Returns the text of a request: `cluster://<cluster>/<namespace>/<name>`, or `<namespace>/<name>` in the local
 * cluster. If it has a uid, ` (uid <uid>)` follows.
 */
export function requestKey(request: ReconcileRequest): string {
  const { clusterName } = request;
  const key = keyInCluster(request);
  return clusterName === LOCAL_CLUSTER ? key : `cluster://${clusterName}/${key}`;
}

function keyInCluster({ namespace, name, uid }: ReconcileRequest): string {
  const key = namespace === '' ? name : `${namespace}/${name}`;
  return uid === undefined ? key : `${key} (uid ${uid})`;
}

/** Returns and changes the key and the cluster of a custom request type. (Upstream: the `ClusterAware` constraint.) */
export interface RequestType<R> {
  /** Returns the key of a request. Requests of one cluster with equal keys are merged. */
  key(request: R): string;
  clusterOf(request: R): ClusterName;
  /** Returns the same request for another cluster. */
  withCluster(request: R, name: ClusterName): R;
}

/** The {@link RequestType} of {@link ReconcileRequest}. */
export const requestType: RequestType<ReconcileRequest> = {
  // The queue separates clusters, so keys without the cluster are sufficient, and faster.
  key: keyInCluster,
  clusterOf: (request) => request.clusterName,
  withCluster: (request, clusterName) => ({ ...request, clusterName }),
};

/** The option for a custom request type. It is optional for {@link ReconcileRequest}. */
export type RequestTypeOption<R> = ReconcileRequest extends R
  ? { readonly requestType?: RequestType<R> }
  : { readonly requestType: RequestType<R> };

/** Returns the request type of an option. Default: {@link requestType}. */
export function resolveRequestType<R>(option: { readonly requestType?: RequestType<R> }): RequestType<R> {
  // The option can only be absent where `R` is `ReconcileRequest`: see RequestTypeOption.
  return option.requestType ?? (requestType as unknown as RequestType<R>);
}
