import type { KubernetesObject, ObjectKey } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { ReconcileRequest, RequestType } from '../reconcile/request.ts';
import { resolveRequestType } from '../reconcile/request.ts';
import type { EventHandler } from './event-handler.ts';

/**
 * Adapts a handler for one cluster to the fleet. Its requests get the cluster of the event. (Upstream: `handler.Lift`.)
 */
export function lift<T extends KubernetesObject>(handler: EventHandler<T, ObjectKey>): EventHandler<T> {
  return converted(handler, ({ namespace = '', name }, clusterName): ReconcileRequest => ({
    clusterName,
    namespace,
    name,
  }));
}

/**
 * Returns a handler that replaces the cluster of the requests with the cluster of the event. (Upstream:
 * `handler.InjectCluster`.)
 */
export function injectCluster<T extends KubernetesObject, R = ReconcileRequest>(
  handler: EventHandler<T, R>,
  option: { readonly requestType?: RequestType<R> } = {},
): EventHandler<T, R> {
  const type = resolveRequestType<R>(option);
  return converted(handler, (request, clusterName) => type.withCluster(request, clusterName));
}

/** Returns a handler that replaces the cluster of the requests with `name`. (Upstream: `handler.ForCluster`.) */
export function forCluster<T extends KubernetesObject, R = ReconcileRequest>(
  handler: EventHandler<T, R>,
  name: ClusterName,
  option: { readonly requestType?: RequestType<R> } = {},
): EventHandler<T, R> {
  const type = resolveRequestType<R>(option);
  return converted(handler, (request) => type.withCluster(request, name));
}

function converted<T extends KubernetesObject, From, To>(
  handler: EventHandler<T, From>,
  convert: (request: From, clusterName: ClusterName) => To,
): EventHandler<T, To> {
  const call: EventHandler<T, To> = (event, { queue, ...context }) =>
    handler(event, {
      ...context,
      queue: { add: (request, options) => queue.add(convert(request, event.clusterName), options) },
    });
  if (!handler.prepare) return call;
  const prepare = handler.prepare.bind(handler);
  return Object.assign(call, { prepare: async (cluster: Cluster) => converted(await prepare(cluster), convert) });
}
