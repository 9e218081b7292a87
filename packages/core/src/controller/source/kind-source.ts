import type { DeepReadonly, InformerHandler, InformerScope, Kind, KubernetesObject, LazyObject } from '@mcr/client';
import { checkKind, informerScopeSchema, kindText, resync, parseOptions } from '@mcr/client';
import * as z from 'zod';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { LazyCreateEvent, LazyDeleteEvent, LazyUpdateEvent, OldState } from '../event/lazy-event.ts';
import { checkHandler } from '../handler/check-handler.ts';
import type { EventHandler } from '../handler/event-handler.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { createDispatcher } from './dispatch.ts';
import { ProjectedObject } from './projected-object.ts';
import type { SourceTiming } from './source-timing.ts';
import { sourceTimingSchemas } from './source-timing.ts';
import type { ClusterFilter, ClusterSource } from './source.ts';

const method = z.custom((value) => typeof value === 'function', 'expected a function');

const schema = informerScopeSchema.extend({
  predicates: z.array(method).optional(),
  project: method.optional(),
  clusterFilter: method.optional(),
  ...sourceTimingSchemas,
} satisfies Record<Exclude<keyof KindSourceOptions<KubernetesObject>, keyof InformerScope>, z.ZodType>);

/**
 * Options of {@link kindSource}. The API server applies the scope (`namespaces`, `labelSelector`, `fieldSelector`), and
 * the source applies the predicates. Default of the scope: the scope of the kind in the cluster's cache, so that the
 * source shares the informer with reads.
 */
export interface KindSourceOptions<T extends KubernetesObject> extends InformerScope, SourceTiming {
  /** Predicates that events must pass. Default: none. */
  readonly predicates?: readonly Predicate<T>[];
  /**
   * Returns the object that predicates and handler receive. Key and metadata of an event are those of this object, so
   * each object is decoded. Default: the object itself.
   */
  readonly project?: (object: DeepReadonly<T>, cluster: Cluster) => DeepReadonly<T>;
  /** See {@link ClusterSource.clusterFilter}. */
  readonly clusterFilter?: ClusterFilter;
}

/**
 * Returns a source that watches a kind in every cluster, with the shared informer of the cluster. (Upstream: `mcsource.Kind`.)
 *
 * @throws {TypeError} if `kind` is not a kind, `handler` is not a function, or an option is unknown or invalid.
 */
export function kindSource<T extends KubernetesObject, R = ReconcileRequest>(
  kind: Kind<T>,
  handler: EventHandler<T, R>,
  options: KindSourceOptions<T> = {},
): ClusterSource<R> {
  checkKind('kindSource', kind);
  checkHandler(`kindSource(${kind.kind})`, handler);
  const { predicates = [], project, clusterFilter, debounce = 0, resyncPeriod, ...given } = options;
  parseOptions(`kindSource(${kind.kind})`, schema, options);
  const scope = Object.keys(given).length > 0 ? given : undefined;
  return {
    per: 'cluster',
    name: kindText(kind),
    ...(clusterFilter && { clusterFilter }),
    permissions: [{ kind, verbs: ['list', 'watch'], ...(given.namespaces && { namespaces: given.namespaces }) }],
    async start(context) {
      const { cluster, clusterName, clock, signal } = context;
      const prepared = handler.prepare ? await handler.prepare(cluster) : handler;
      signal.throwIfAborted();
      const { dispatch, stop } = createDispatcher({
        ...context,
        handler: prepared,
        predicates,
        debounce,
        kind: kindText(kind),
      });
      const projection = project && ((object: DeepReadonly<T>) => project(object, cluster));
      const view = (object: LazyObject<T>) => (projection ? new ProjectedObject(object, projection) : object);
      const informed: InformerHandler<T> = {
        onAdd: (event) => dispatch(new LazyCreateEvent(clusterName, view(event), event), event.key),
        onUpdate: (event) => {
          const old = new OldState(event);
          const update = projection
            ? { old: new ProjectedObject(old, projection), current: view(event) }
            : { old, current: event, event };
          return dispatch(new LazyUpdateEvent(clusterName, update), event.key);
        },
        onDelete: (event) => dispatch(new LazyDeleteEvent(clusterName, view(event), event), event.key),
      };
      const subscription = await cluster.cache.subscribe(kind, informed, scope);
      const { informer } = subscription;
      if (resyncPeriod !== undefined) {
        const onObject = (object: LazyObject<T>) => {
          const current = view(object);
          return dispatch(new LazyUpdateEvent(clusterName, { old: current, current }), object.key);
        };
        const options = { store: informer.store, period: resyncPeriod, onObject, clock };
        void subscription.synced
          .then(() => resync(options, signal))
          .catch((error: unknown) => context.log.error('resync failed', { error }));
      }
      return {
        synced: subscription.synced,
        stop() {
          subscription.remove();
          stop();
        },
        objects: () => informer.store.size,
        staleFor: () => informer.staleFor(),
        lastError: () => informer.lastError,
      };
    },
  };
}
