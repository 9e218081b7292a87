/* Uses of the package that must compile, and uses that must not. Checked by `tsc`, never run. */
import type { Cache, Client, ClusterConfig, DeepReadonly, EventRecorder, KubernetesObject } from './index.ts';
import { z } from 'zod';
import {
  cacheKind,
  ConfigMap,
  createCache,
  createClient,
  CustomResourceDefinition,
  defineKind,
  Deployment,
  draftOf,
  dropFields,
  Job,
  LimitRange,
  Namespace,
  NetworkPolicy,
  parseKubeconfig,
  partialMetadata,
  Scale,
  Service,
  ServiceAccount,
  TokenRequest,
} from './index.ts';

interface Widget extends KubernetesObject {
  spec: { size: number; parts?: string[] };
}
const Widget = defineKind<Widget>({ apiVersion: 'example.com/v1', kind: 'Widget' });
const key = { namespace: 'shop', name: 'cart' };

/** Reads return the type of the kind, read-only. */
export async function reads(client: Client, cache: Cache): Promise<void> {
  const configMap: DeepReadonly<ConfigMap> = await client.get(ConfigMap, key);
  const size: number = (await client.get(Widget, key)).spec.size;
  const colour: string | undefined = configMap.data?.['colour'];
  const found = await cache.find(Widget, key);
  await client.get(ConfigMap, { name: colour ?? String(size) });

  const draft = draftOf(configMap);
  draft.data = {};
  await client.update(ConfigMap, draft);
  // @ts-expect-error -- objects of the cache are shared, so their fields are read-only
  configMap.data = {};
  // @ts-expect-error -- nested fields are read-only
  configMap.metadata.labels!.app = 'cart';
  // @ts-expect-error -- lists are read-only
  configMap.metadata.finalizers?.push('example.com/a');
  // @ts-expect-error -- find may return undefined
  found.spec.size.toFixed();
  // @ts-expect-error -- a ConfigMap has no spec
  void configMap.spec;
  // @ts-expect-error -- a kind is a value, not a name
  await client.get('ConfigMap', key);
  // @ts-expect-error -- a key requires a name
  await client.get(ConfigMap, { namespace: 'shop' });
  // @ts-expect-error -- the result is of another kind
  const widget: DeepReadonly<Widget> = await client.get(ConfigMap, key);
  void widget;
}

export async function lists(client: Client): Promise<void> {
  const { items, metadata } = await client.list(Widget, { namespace: 'shop', labelSelector: 'app=cart', limit: 500 });
  const sizes: readonly number[] = items.map(({ spec }) => spec.size);
  await client.list(Widget, { continue: metadata.continue ?? '', limit: sizes.length });

  // @ts-expect-error -- unknown options are refused
  await client.list(Widget, { labels: 'app=cart' });
  // @ts-expect-error -- the items of a list are read-only
  items.push();
  // @ts-expect-error -- metadata-only objects have no spec
  void (await client.list(partialMetadata(Widget))).items[0]?.spec;
}

export async function writes(client: Client): Promise<void> {
  const created: Widget = await client.create(Widget, { metadata: key, spec: { size: 1 } });
  // The result of a write belongs to the caller, who may change it and write it again.
  created.spec.size = 2;
  await client.update(Widget, created);
  await client.status.patch(Widget, key, { status: { ready: true } }, 'merge');
  await client.delete(Widget, key, { propagationPolicy: 'Foreground', preconditions: { uid: created.metadata.uid } });
  // An object of the cache can be written unchanged.
  await client.update(Widget, await client.get(Widget, key));

  // @ts-expect-error -- a draft requires metadata
  await client.create(Widget, { spec: { size: 1 } });
  // @ts-expect-error -- a draft requires the required fields of its kind
  await client.create(Widget, { metadata: key });
  // @ts-expect-error -- size must be a number
  await client.create(Widget, { metadata: key, spec: { size: 'large' } });
  // @ts-expect-error -- the draft is of another kind
  await client.create(ConfigMap, { metadata: key, spec: { size: 1 } });
  // @ts-expect-error -- a patch requires a type
  await client.patch(Widget, key, { spec: { size: 3 } });
  // @ts-expect-error -- 'apply' is not a patch type
  await client.patch(Widget, key, {}, 'apply');
  // @ts-expect-error -- a status can be updated, patched or applied, not deleted
  await client.status.delete(Widget, key);
}

/** An apply may omit any field, but must not contain unknown fields. */
export async function applies(client: Client): Promise<void> {
  const options = { fieldManager: 'cart-controller' };
  const applied: Widget = await client.apply(Widget, { metadata: key, spec: { parts: ['wheel'] } }, options);
  const template = { spec: { containers: [{ name: 'cart', image: 'cart:2' }] } };
  await client.apply(Deployment, { metadata: key, spec: { template } }, { ...options, force: true });
  await client.status.apply(Deployment, { metadata: key, status: { replicas: 1 } }, options);
  void applied;

  // @ts-expect-error -- an apply requires the name of the object
  await client.apply(Widget, { metadata: {}, spec: {} }, options);
  // @ts-expect-error -- size must be a number
  await client.apply(Widget, { metadata: key, spec: { size: 'large' } }, options);
  // @ts-expect-error -- the server sets managedFields
  await client.apply(Widget, { metadata: { ...key, managedFields: [] } }, options);
}

/** A subresource client takes and returns the kind of the subresource. */
export async function subresources(client: Client): Promise<void> {
  const scale: DeepReadonly<Scale> = await client.subresource('scale', Scale).get(Deployment, key);
  await client.subresource('scale', Scale).update(Deployment, key, scale);
  const tokens = client.subresource('token', TokenRequest);
  const { status } = await tokens.create(ServiceAccount, key, { metadata: {}, spec: { audiences: ['vault'] } });
  const expires: string | undefined = status?.expirationTimestamp;
  void expires;
  // @ts-expect-error -- a Scale has no template
  await client.subresource('scale', Scale).update(Deployment, key, { metadata: key, spec: { template: {} } });
}

/** Built-in kinds have the types of the wire format. */
export async function builtIn(client: Client): Promise<void> {
  const { metadata, status } = await client.get(Job, key);
  const times: (string | undefined)[] = [metadata.creationTimestamp, status?.startTime];
  const { spec } = await client.get(NetworkPolicy, key);
  const peers: number | undefined = spec?.ingress?.[0]?.from?.length;
  const service = await client.get(Service, key);
  const port: number | string | undefined = service.spec?.ports?.[0]?.targetPort;
  const limits = await client.get(LimitRange, key);
  const memory: string | undefined = limits.spec?.limits[0]?.default?.['memory'];
  const definition = await client.get(CustomResourceDefinition, { name: 'widgets.example.com' });
  const schema = definition.spec.versions[0]?.schema?.openAPIV3Schema;
  const listType: string | undefined = schema?.['x-kubernetes-list-type'];
  const reference: string | undefined = schema?.$ref;
  void [times, peers, port, memory, listType, reference];
  // @ts-expect-error -- this is the name in the generated models
  void spec?.ingress?.[0]?._from;
  // @ts-expect-error -- this is the name in the generated models
  void schema?.x_kubernetes_list_type;
}

/** The type of the objects follows from a schema. */
export async function schemas(client: Client): Promise<void> {
  const schema = z.object({ spec: z.object({ size: z.number(), parts: z.array(z.string()).optional() }) });
  const Gadget = defineKind({ apiVersion: 'example.com/v1', kind: 'Gadget', schema });
  const { spec, metadata } = await client.get(Gadget, key);
  const size: number = spec.size;
  const uid: string = metadata.uid;
  const { rows } = await client.table(Gadget);
  void [size, uid, rows[0]?.cells, rows[0]?.object?.metadata.name];
  await client.create(Gadget, { metadata: key, spec: { size: 1 } });
  // @ts-expect-error -- size must be a number
  await client.create(Gadget, { metadata: key, spec: { size: 'large' } });
  // @ts-expect-error -- the schema has no colour
  void spec.colour;
}

export async function watches(client: Client, signal: AbortSignal): Promise<void> {
  for await (const event of client.watch(Namespace, { signal })) {
    if (event.type === 'ERROR') continue;
    const name: string | undefined = event.type === 'BOOKMARK' ? undefined : event.object.metadata.name;
    void name;
    // @ts-expect-error -- a watch has no such event type
    if (event.type === 'CREATED') continue;
  }
  // @ts-expect-error -- a watch requires a signal
  client.watch(Namespace, {});
}

export async function indexes(cache: Cache): Promise<void> {
  await cache.indexField(Widget, 'parts', ({ spec }) => spec.parts ?? []);
  // @ts-expect-error -- index values must be strings
  await cache.indexField(Widget, 'size', ({ spec }) => [spec.size]);
  await cache.indexField(Widget, 'size', '.spec.size');
  await cache.indexField(Widget, 'app', ['metadata', 'labels', 'app.kubernetes.io/name']);
  // @ts-expect-error -- a path has a leading dot
  await cache.indexField(Widget, 'size', 'spec.size');
  const informer = await cache.informer(Widget);
  informer.addHandler({ onUpdate: ({ oldObject, object }) => void (object.spec.size - oldObject.spec.size) });
  // @ts-expect-error -- objects passed to handlers are shared, so they are read-only
  informer.addHandler({ onAdd: ({ object }) => void (object.spec.size = 0) });
}

export function events(recorder: EventRecorder, object: DeepReadonly<Widget>): void {
  recorder.event(object, { type: 'Normal', reason: 'Grown', note: 'it is larger now' });
  // @ts-expect-error -- the API has two event types
  recorder.event(object, { type: 'Error', reason: 'Broken', note: 'it is broken' });
  // @ts-expect-error -- an event requires a reason
  recorder.event(object, { type: 'Warning', note: 'it is broken' });
}

export function configurations(): void {
  const config: ClusterConfig = { server: 'https://a', auth: { type: 'token', token: 't' } };
  createClient(config);
  // @ts-expect-error -- a config is read-only
  config.server = 'https://b';
  // @ts-expect-error -- each auth type has its own fields
  createClient({ server: 'https://a', auth: { type: 'token', password: 'p' } });
  // @ts-expect-error -- unknown options are refused
  createClient(config, { retries: 3 });
  // @ts-expect-error -- the source of a kubeconfig is required
  parseKubeconfig('apiVersion: v1', {});
}

/** The transform of a kind receives its objects. */
export function transforms(client: Client): void {
  const trim = (widget: Widget): Widget => ({ ...widget, spec: { size: widget.spec.size } });
  const drop = dropFields('data.large');
  createCache({
    client,
    byKind: [cacheKind(Widget, { transform: trim, compress: true }), { kind: Job, transform: drop }],
  });
  cacheKind(Job, { transform: (job) => ({ ...job, status: {} }) });
  // @ts-expect-error -- a transform of another kind
  cacheKind(ConfigMap, { transform: trim });
  // @ts-expect-error -- a transform that may receive objects of another kind
  createCache({ client, byKind: [{ kind: ConfigMap, transform: trim }] });
  // @ts-expect-error -- an unknown option is refused
  cacheKind(ConfigMap, { compres: true });
}
