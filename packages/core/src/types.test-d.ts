/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import { trace } from '@opentelemetry/api';
import type {
  Aware,
  Client,
  Cluster,
  ClusterName,
  DeepReadonly,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Manager,
  Provider,
  Reconciler,
  ReconcileRequest,
  RequestType,
} from './index.ts';
import {
  addFinalizer,
  ConfigMap,
  controllerManagedBy,
  createManager,
  createOrPatch,
  createOrUpdate,
  defineKind,
  Deployment,
  draftOf,
  enqueueMapped,
  enqueueMappedPreservingCluster,
  Finalizers,
  partialMetadata,
  predicates,
  createController,
  setCondition,
  setControllerReference,
} from './index.ts';
import { eventually, InMemoryClient, InMemoryCluster, RequestRecorder } from './testing.ts';

interface Widget extends KubernetesObject {
  spec: { size: number };
  status?: { phase: 'Small' | 'Large' };
}
const Widget = defineKind<Widget>({ apiVersion: 'example.com/v1', kind: 'Widget' });
const key = { namespace: 'shop', name: 'cart' };

export async function managers(provider: Provider): Promise<void> {
  await createManager({ provider, tracer: trace.getTracer('test'), controller: { maxConcurrentReconciles: 4 } });
  // @ts-expect-error -- an unknown option is refused
  await createManager({ providers: [provider] });
  // @ts-expect-error -- durations are numbers of milliseconds
  await createManager({ gracefulShutdownTimeout: '30s' });
}

export async function controllers(manager: Manager): Promise<void> {
  await controllerManagedBy(manager)
    .for(Widget, {
      engage: { local: true },
      predicates: [predicates.funcs({ update: ({ oldObject, object }) => oldObject.spec.size !== object.spec.size })],
    })
    .owns(Deployment, { everyOwner: true })
    .watches(
      ConfigMap,
      enqueueMapped((configMap) => [{ ...key, name: configMap.data?.['widget'] ?? '' }]),
    )
    .withOptions({ maxConcurrentReconciles: 2 })
    .complete(async (request, { cluster, signal, log }) => {
      const { client } = await cluster();
      const widget: DeepReadonly<Widget> | undefined = await client.find(Widget, request, { signal });
      log.info('seen', { size: widget?.spec.size });
      return { requeueAfter: 1_000 };
    });

  const builder = controllerManagedBy(manager);
  // @ts-expect-error -- an unknown option is refused
  builder.for(Widget, { namespace: 'shop' });
  // @ts-expect-error -- a kind is passed as a value, not as a name
  builder.for('Widget');
  // @ts-expect-error -- a predicate of another kind
  builder.for(ConfigMap, { predicates: [predicates.funcs<Widget>({ create: ({ object }) => object.spec.size > 1 })] });
  const mapped = enqueueMapped(({ metadata }) => [metadata]);
  // With `metadataOnly`, events have the metadata only.
  builder.for(Widget, { metadataOnly: true, predicates: [({ object }) => object.metadata.name !== ''] });
  builder.for(Widget, { metadataOnly: false, predicates: [({ object }) => object.spec.size > 1] });
  // @ts-expect-error -- a metadata-only object has no other fields
  builder.for(Widget, { metadataOnly: true, predicates: [({ object }) => object.spec.size > 1] });
  // @ts-expect-error -- a metadata-only object has no other fields
  builder.owns(Widget, { predicates: [(event) => event.object.spec.size > 1], metadataOnly: true });
  // @ts-expect-error -- a metadata-only object has no other fields
  builder.watches(Widget, mapped, { metadataOnly: true, predicates: [({ object }) => object.spec.size > 1] });
  // @ts-expect-error -- a handler of a metadata-only kind
  builder.watches(partialMetadata(Widget), ({ object }) => void object.spec);
  // @ts-expect-error -- a predicate of whole objects
  builder.for(Widget, { metadataOnly: true, predicates: [predicates.funcs<Widget>({ create: () => true })] });
  // @ts-expect-error -- an unknown option is refused
  builder.withOptions({ concurrency: 2 });
  // @ts-expect-error -- a reconciler is asynchronous
  builder.complete(() => ({ requeue: true }));
  // @ts-expect-error -- a result has no such field
  builder.complete(async () => ({ requeueIn: 5 }));
  // @ts-expect-error -- a request is shared and read-only
  builder.complete(async (request) => void (request.clusterName = ''));
}

export function mappings(): void {
  enqueueMappedPreservingCluster<ConfigMap>(() => [{ clusterName: 'eu-1', ...key }]);
  // @ts-expect-error -- a mapping that preserves the cluster must set it
  enqueueMappedPreservingCluster<ConfigMap>(() => [key]);
}

interface Shard {
  readonly cluster: ClusterName;
  readonly number: number;
}
declare const shardType: RequestType<Shard>;

export function customRequests(manager: Manager, reconciler: Reconciler<Shard>): void {
  createController<Shard>('shards', manager, { reconciler, requestType: shardType });
  // @ts-expect-error -- a custom request needs its request type
  createController<Shard>('shards', manager, { reconciler });
  // @ts-expect-error -- a reconciler of other requests
  createController('shards', manager, { reconciler });
}

export async function objects(cluster: Cluster, owner: DeepReadonly<Widget>): Promise<void> {
  const { client } = cluster;
  const { result, object } = await createOrUpdate(client, ConfigMap, key, (configMap) => {
    configMap.data = { colour: 'blue' };
    setControllerReference(owner, configMap);
  });
  const outcome: 'created' | 'updated' | 'unchanged' = result;
  void outcome;
  await createOrPatch(client, Widget, key, (widget) => void (widget.status = { phase: 'Small' }));
  const draft = draftOf(object);
  addFinalizer(draft, 'example.com/a');
  await client.update(ConfigMap, draft);

  // @ts-expect-error -- a new object has no spec: assign all of it
  await createOrUpdate(client, Widget, key, (widget) => void (widget.spec.size = 1));
  // @ts-expect-error -- a field of another kind
  await createOrUpdate(client, ConfigMap, key, (configMap) => void (configMap.spec = {}));
  // @ts-expect-error -- a cached object is read-only: create a draft
  addFinalizer(object, 'example.com/a');
  // @ts-expect-error -- a cached object is read-only: create a draft
  setControllerReference(owner, object);
  // @ts-expect-error -- a written object is shared and read-only
  object.data = {};
}

export async function finalizers(widget: DeepReadonly<Widget>): Promise<void> {
  const registry = new Finalizers<Widget>().register('example.com/a', async ({ spec }) => void (spec.size = 0));
  const { updated, error } = await registry.finalize(draftOf(widget));
  if (updated && error) throw error;
  // @ts-expect-error -- a finalizer may change its object, so it must be a draft
  await registry.finalize(widget);
}

export function conditions(): void {
  setCondition([], { type: 'Ready', status: 'True', reason: 'Up', message: '' });
  // @ts-expect-error -- a status is one of three strings, not a boolean
  setCondition([], { type: 'Ready', status: true, reason: 'Up', message: '' });
  // @ts-expect-error -- a condition has a reason
  setCondition([], { type: 'Ready', status: 'True', message: '' });
}

/** A minimal provider. */
export class Nothing implements Provider {
  async get(name: ClusterName): Promise<Cluster> {
    throw new Error(name);
  }
  async indexField<T extends KubernetesObject>(_: Kind<T>, __: string, ___: IndexExtractor<T>): Promise<void> {
    // Nothing is indexed.
  }
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await aware.engage('eu-1', new InMemoryCluster(), signal);
    // @ts-expect-error -- an engagement has an end: it needs a signal
    await aware.engage('eu-1', new InMemoryCluster());
  }
}

// @ts-expect-error -- a provider must index fields
export class Incomplete implements Provider {
  async get(): Promise<Cluster> {
    return new InMemoryCluster();
  }
}

export async function tests(manager: Manager): Promise<void> {
  const recorder = new RequestRecorder();
  await controllerManagedBy(manager).for(Widget).complete(recorder);
  const request: ReconcileRequest = await recorder.waitFor({ clusterName: 'eu-1' });
  const length: number = await eventually(() => request.name.length > 3 && request.name.length);
  void length;
  // @ts-expect-error -- a request has no such field
  await recorder.waitFor({ cluster: 'eu-1' });
}

export async function inMemory(widget: Widget): Promise<void> {
  const typed = { ...widget, apiVersion: 'example.com/v1', kind: 'Widget' };
  const client = new InMemoryClient({
    objects: [
      typed,
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {}, status: { phase: 'Running' } },
    ],
    crdPaths: ['crds'],
  });
  const applied: Widget = await client.apply(Widget, { metadata: { name: 'a' } }, { fieldManager: 'test' });
  const cluster = new InMemoryCluster({ objects: [applied].map((object) => ({ ...object, ...Widget })) });
  const calls: Client = cluster.client;
  void calls;
  // @ts-expect-error -- an initial object says its kind
  new InMemoryClient({ objects: [{ apiVersion: 'v1', metadata: { name: 'a' } }] });
  // @ts-expect-error -- an unknown option
  new InMemoryClient({ definitions: [] });
}
