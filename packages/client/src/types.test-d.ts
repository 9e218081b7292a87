/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { Cache, Client, ClusterConfig, DeepReadonly, EventRecorder, KubernetesObject } from './index.ts';
import { ConfigMap, createClient, defineKind, Namespace, parseKubeconfig, partialMetadata } from './index.ts';

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
  // @ts-expect-error -- a status is updated or patched, never deleted
  await client.status.delete(Widget, key);
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
