/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { Cache, Client, ClusterConfig, DeepReadonly, EventRecorder, KubernetesObject } from './index.ts';
import { z } from 'zod';
import {
  ConfigMap,
  createClient,
  CustomResourceDefinition,
  defineKind,
  Deployment,
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

/** What is read is of the kind that was asked for, and read-only. */
export async function reads(client: Client, cache: Cache): Promise<void> {
  const configMap: DeepReadonly<ConfigMap> = await client.get(ConfigMap, key);
  const size: number = (await client.get(Widget, key)).spec.size;
  const colour: string | undefined = configMap.data?.['colour'];
  const found = await cache.find(Widget, key);
  await client.get(ConfigMap, { name: colour ?? String(size) });

  // @ts-expect-error -- an object of the cache is shared: its fields are not to be assigned
  configMap.data = {};
  // @ts-expect-error -- nor those of its parts, at any depth
  configMap.metadata.labels!.app = 'cart';
  // @ts-expect-error -- nor are its lists to be added to
  configMap.metadata.finalizers?.push('example.com/a');
  // @ts-expect-error -- what may not be there has to be looked at first
  found.spec.size.toFixed();
  // @ts-expect-error -- a ConfigMap has no spec
  void configMap.spec;
  // @ts-expect-error -- a kind is given by its value, not by its name
  await client.get('ConfigMap', key);
  // @ts-expect-error -- a key has a name
  await client.get(ConfigMap, { namespace: 'shop' });
  // @ts-expect-error -- an object of another kind
  const widget: DeepReadonly<Widget> = await client.get(ConfigMap, key);
  void widget;
}

export async function lists(client: Client): Promise<void> {
  const { items, metadata } = await client.list(Widget, { namespace: 'shop', labelSelector: 'app=cart', limit: 500 });
  const sizes: readonly number[] = items.map(({ spec }) => spec.size);
  await client.list(Widget, { continue: metadata.continue ?? '', limit: sizes.length });

  // @ts-expect-error -- an unknown option is refused
  await client.list(Widget, { labels: 'app=cart' });
  // @ts-expect-error -- a list is read-only, too
  items.push();
  // @ts-expect-error -- of what is read as metadata only, there is no more than that
  void (await client.list(partialMetadata(Widget))).items[0]?.spec;
}

export async function writes(client: Client): Promise<void> {
  const created: Widget = await client.create(Widget, { metadata: key, spec: { size: 1 } });
  // What a write answers is the caller's own, and may be changed and written again.
  created.spec.size = 2;
  await client.update(Widget, created);
  await client.status.patch(Widget, key, { status: { ready: true } }, 'merge');
  await client.delete(Widget, key, { propagationPolicy: 'Foreground', preconditions: { uid: created.metadata.uid } });
  // An object of the cache may be written as it is.
  await client.update(Widget, await client.get(Widget, key));

  // @ts-expect-error -- a draft has metadata
  await client.create(Widget, { spec: { size: 1 } });
  // @ts-expect-error -- and what its kind requires
  await client.create(Widget, { metadata: key });
  // @ts-expect-error -- of the right type
  await client.create(Widget, { metadata: key, spec: { size: 'large' } });
  // @ts-expect-error -- a draft of another kind
  await client.create(ConfigMap, { metadata: key, spec: { size: 1 } });
  // @ts-expect-error -- how a patch is written has to be said
  await client.patch(Widget, key, { spec: { size: 3 } });
  // @ts-expect-error -- 'apply' is not a type of patch here
  await client.patch(Widget, key, {}, 'apply');
  // @ts-expect-error -- a status is updated, patched or applied, never deleted
  await client.status.delete(Widget, key);
}

/** What is applied may leave out any field, but names none that the kind has not. */
export async function applies(client: Client): Promise<void> {
  const options = { fieldManager: 'cart-controller' };
  const applied: Widget = await client.apply(Widget, { metadata: key, spec: { parts: ['wheel'] } }, options);
  const template = { spec: { containers: [{ name: 'cart', image: 'cart:2' }] } };
  await client.apply(Deployment, { metadata: key, spec: { template } }, { ...options, force: true });
  await client.status.apply(Deployment, { metadata: key, status: { replicas: 1 } }, options);
  void applied;

  // @ts-expect-error -- whose fields they are is known by the object's name
  await client.apply(Widget, { metadata: {}, spec: {} }, options);
  // @ts-expect-error -- of the right type
  await client.apply(Widget, { metadata: key, spec: { size: 'large' } }, options);
  // @ts-expect-error -- the server keeps the managed fields
  await client.apply(Widget, { metadata: { ...key, managedFields: [] } }, options);
}

/** A subresource takes and gives its own kind. */
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

/** The built-in kinds are as they are on the wire. */
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
  // @ts-expect-error -- not as in the generated models
  void spec?.ingress?.[0]?._from;
  // @ts-expect-error -- nor there
  void schema?.x_kubernetes_list_type;
}

/** A schema says what the objects are like. */
export async function schemas(client: Client): Promise<void> {
  const schema = z.object({ spec: z.object({ size: z.number(), parts: z.array(z.string()).optional() }) });
  const Gadget = defineKind({ apiVersion: 'example.com/v1', kind: 'Gadget', schema });
  const { spec, metadata } = await client.get(Gadget, key);
  const size: number = spec.size;
  const uid: string = metadata.uid;
  const { rows } = await client.table(Gadget);
  void [size, uid, rows[0]?.cells, rows[0]?.object?.metadata.name];
  await client.create(Gadget, { metadata: key, spec: { size: 1 } });
  // @ts-expect-error -- of the schema's type
  await client.create(Gadget, { metadata: key, spec: { size: 'large' } });
  // @ts-expect-error -- the schema has no colour
  void spec.colour;
}

export async function watches(client: Client, signal: AbortSignal): Promise<void> {
  for await (const event of client.watch(Namespace, { signal })) {
    if (event.type === 'ERROR') continue;
    const name: string | undefined = event.type === 'BOOKMARK' ? undefined : event.object.metadata.name;
    void name;
    // @ts-expect-error -- a watch knows no such type of event
    if (event.type === 'CREATED') continue;
  }
  // @ts-expect-error -- a watch has no end of its own: it needs a signal
  client.watch(Namespace, {});
}

export async function indexes(cache: Cache): Promise<void> {
  await cache.indexField(Widget, 'parts', ({ spec }) => spec.parts ?? []);
  // @ts-expect-error -- an index is made of text
  await cache.indexField(Widget, 'size', ({ spec }) => [spec.size]);
  const informer = await cache.informer(Widget);
  informer.addHandler({ onUpdate: (before, after) => void (after.spec.size - before.spec.size) });
  // @ts-expect-error -- what a handler is given is shared: not to be changed
  informer.addHandler({ onAdd: (object) => void (object.spec.size = 0) });
}

export function events(recorder: EventRecorder, object: DeepReadonly<Widget>): void {
  recorder.event(object, { type: 'Normal', reason: 'Grown', note: 'it is larger now' });
  // @ts-expect-error -- the API knows two types
  recorder.event(object, { type: 'Error', reason: 'Broken', note: 'it is broken' });
  // @ts-expect-error -- an event says why
  recorder.event(object, { type: 'Warning', note: 'it is broken' });
}

export function configurations(): void {
  const config: ClusterConfig = { server: 'https://a', auth: { type: 'token', token: 't' } };
  createClient(config);
  // @ts-expect-error -- a config is plain data, not to be changed in place
  config.server = 'https://b';
  // @ts-expect-error -- each way to authenticate has its own fields
  createClient({ server: 'https://a', auth: { type: 'token', password: 'p' } });
  // @ts-expect-error -- an unknown option is refused
  createClient(config, { retries: 3 });
  // @ts-expect-error -- where a kubeconfig comes from has to be said
  parseKubeconfig('apiVersion: v1', {});
}
