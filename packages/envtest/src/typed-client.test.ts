import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import * as everything from '@mcr/client';
import type { ApiClient, Kind, KubernetesObject, Warning } from '@mcr/client';
import {
  ConfigMap,
  createClient,
  createRestMapper,
  createTransport,
  CustomResourceDefinition,
  defineKind,
  Deployment,
  Eviction,
  isConflict,
  isNotFound,
  listPages,
  Pod,
  Scale,
} from '@mcr/client';
import type { ControlPlane } from './control-plane.ts';
import { createControlPlane } from './create-control-plane.ts';

const namespace = 'default';
const key = { namespace, name: 'settings' };

describe('@mcr/client against an API server', () => {
  let plane: ControlPlane;
  let client: ApiClient;
  const warnings: Warning[] = [];

  beforeAll(async () => {
    plane = await createControlPlane();
    client = createClient(plane.config, { onWarning: (warning) => void warnings.push(warning) });
  });
  afterEach(async () => {
    await client.deleteCollection(ConfigMap, { namespace, labelSelector: 'test' });
    warnings.length = 0;
  });
  afterAll(async () => {
    await client.close();
    await plane.stop();
  });

  const labels = { test: '' };
  const applied = (data: Readonly<Record<string, string>>) => ({ metadata: { ...key, labels }, data });

  it('K-13: an apply removes the fields that its manager no longer sends', async () => {
    await client.apply(ConfigMap, applied({ colour: 'red', size: '1' }), { fieldManager: 'one' });
    await client.apply(ConfigMap, applied({ weight: '2' }), { fieldManager: 'two' });
    const { data } = await client.apply(ConfigMap, applied({ colour: 'red' }), { fieldManager: 'one' });
    expect(data).toEqual({ colour: 'red', weight: '2' });

    const refused: unknown = await client
      .apply(ConfigMap, applied({ colour: 'blue' }), { fieldManager: 'two' })
      .catch((error: unknown) => error);
    expect(isConflict(refused)).toBe(true);
    expect(refused).toMatchObject({ details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.colour' }] } });
    const forced = await client.apply(ConfigMap, applied({ colour: 'blue' }), { fieldManager: 'two', force: true });
    expect(forced.data).toEqual({ colour: 'blue' });
  });

  it('K-14: deletes the selected objects and no others', async () => {
    for (const name of ['a', 'b', 'c']) {
      await client.create(ConfigMap, { metadata: { namespace, name, labels: { ...labels, name } } });
    }
    const selected = { namespace, labelSelector: 'test,name in (a,b)' };
    await client.deleteCollection(ConfigMap, { ...selected, dryRun: true });
    expect((await client.list(ConfigMap, selected)).items).toHaveLength(2);
    await client.deleteCollection(ConfigMap, selected);
    const { items } = await client.list(ConfigMap, { namespace, labelSelector: 'test' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['c']);
  });

  it('K-3: reads a list page by page', async () => {
    for (let i = 0; i < 7; i += 1)
      await client.create(ConfigMap, { metadata: { namespace, name: `map-${i}`, labels } });
    const sizes: number[] = [];
    const versions = new Set<string>();
    for await (const { items, metadata } of listPages(client, ConfigMap, {
      namespace,
      limit: 3,
      labelSelector: 'test',
    })) {
      sizes.push(items.length);
      versions.add(metadata.resourceVersion);
    }
    expect(sizes).toEqual([3, 3, 1]);
    expect(versions.size).toBe(1);
  });

  it('K-18: returns the table of a kind with the columns of the server', async () => {
    await client.create(ConfigMap, { metadata: { ...key, labels }, data: { a: '1', b: '2' } });
    const selected = { namespace, labelSelector: 'test' };
    const { columnDefinitions, rows } = await client.table(ConfigMap, { ...selected, includeObject: 'Object' });
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(rows.map(({ cells }) => cells.slice(0, 2))).toEqual([['settings', 2]]);
    expect(rows[0]?.object).toMatchObject({ metadata: { name: 'settings' }, data: { a: '1', b: '2' } });
  });

  it('K-15: reports the warnings of the server and the fields that it dropped', async () => {
    const draft = { metadata: { ...key, labels }, novelty: true };
    const dryRun = { dryRun: true } as const;
    await client.create(ConfigMap, draft, { ...dryRun, fieldValidation: 'Warn' });
    expect(warnings).toEqual([{ code: 299, agent: '-', text: 'unknown field "novelty"' }]);
    await client.create(ConfigMap, draft, { ...dryRun, fieldValidation: 'Ignore' });
    expect(warnings).toHaveLength(1);
    const strict = client.create(ConfigMap, draft, { ...dryRun, fieldValidation: 'Strict' });
    await expect(strict).rejects.toMatchObject({ status: 400 });
    expect(isNotFound(await client.get(ConfigMap, key).catch((error: unknown) => error))).toBe(true);
  });

  it('K-11: writes only the status of an object, or only its scale', async () => {
    const selector = { matchLabels: { app: 'cart' } };
    const template = { metadata: { labels: { app: 'cart' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    await client.apply(Deployment, { metadata: key, spec: { selector, template } }, { fieldManager: 'one' });
    const status = { replicas: 2 };
    const written = await client.status.apply(Deployment, { metadata: key, status }, { fieldManager: 'two' });
    expect(written.status).toMatchObject(status);
    expect(written.spec?.template.spec?.containers[0]?.image).toBe('a');

    const scales = client.subresource('scale', Scale);
    const scale = await scales.get(Deployment, key);
    await scales.update(Deployment, key, { ...scale, spec: { replicas: 3 } });
    const applied = { metadata: { name: key.name }, spec: { replicas: 4 } };
    await scales.apply(Deployment, key, applied, { fieldManager: 'three', force: true });
    expect((await client.get(Deployment, key)).spec?.replicas).toBe(4);
    await client.delete(Deployment, key);
  });

  it('K-28: evicts a pod and returns the options of the eviction', async () => {
    await client.create(Pod, { metadata: key, spec: { containers: [{ name: 'a', image: 'a' }] } });
    const evictions = client.subresource('eviction', Eviction);
    expect(await evictions.create(Pod, key, { metadata: key })).toMatchObject({ kind: 'Eviction', metadata: key });
    expect(await client.find(Pod, key)).toBeUndefined();
  });

  it('K-19: finds a kind that has just been defined', async () => {
    const Widget = defineKind({ apiVersion: 'example.com/v1', kind: 'Widget' });
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } as const;
    await client.create(CustomResourceDefinition, {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    // The kind is served once the server has established it. A new mapper requests discovery again.
    for (let established = false; !established;) {
      const { status } = await client.get(CustomResourceDefinition, { name: 'widgets.example.com' });
      established =
        status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') ?? false;
    }
    expect((await client.create(Widget, { metadata: key })).metadata.name).toBe('settings');
  });

  it('K-20: serves the built-in kinds at the paths of their definitions', async () => {
    await using transport = createTransport(plane.config);
    const served = new Map(
      (await createRestMapper(transport).resources()).map(({ apiVersion, kind, plural, scope }) => [
        `${apiVersion} ${kind}`,
        { plural, scope },
      ]),
    );
    const kinds = Object.values(everything).filter(isServedKind);
    expect(kinds.length).toBeGreaterThan(35);
    const unserved: string[] = [];
    for (const { apiVersion, kind, plural, scope } of kinds) {
      const mapping = served.get(`${apiVersion} ${kind}`);
      if (mapping) expect([kind, mapping]).toEqual([kind, { plural, scope }]);
      else unserved.push(kind);
    }
    // PersistentVolumes exist only on some backends, and reviews are never stored.
    expect(unserved.filter((kind) => !/^PersistentVolume$|Review$/.test(kind))).toEqual([]);
  });
});

/** Skips the types that are only the body of a subresource: they have no path of their own. */
function isServedKind(value: unknown): value is Kind<KubernetesObject> {
  return typeof value === 'object' && value !== null && 'apiVersion' in value && 'plural' in value;
}
