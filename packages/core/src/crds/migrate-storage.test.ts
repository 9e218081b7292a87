import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ClientHooks, CrdManifest } from '@mcr/client';
import { ApiError, CustomResourceDefinition, defineKind, draftOf, interceptClient } from '@mcr/client';
import { eventually } from '../testing/eventually.ts';
import { InMemoryCluster } from '../testing/in-memory-cluster.ts';
import { migrateStorage } from './migrate-storage.ts';

const name = 'widgets.example.com';
const key = { namespace: 'default', name: 'a' };

function widgets(...versions: readonly [string, boolean][]): CrdManifest {
  const schema = {
    openAPIV3Schema: { type: 'object' as const, 'x-kubernetes-preserve-unknown-fields': true as const },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
      scope: 'Namespaced',
      versions: versions.map(([version, storage]) => ({ name: version, served: true, storage, schema })),
    },
  };
}

const Widget = defineKind({ apiVersion: 'example.com/v2', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' });
const next = widgets(['v1', false], ['v2', true]);

function refusal(code: number, reason: string): ApiError {
  return new ApiError({ code, reason, message: 'admission webhook "quota.example.com" denied the request: frozen' });
}

let cluster: InMemoryCluster;

/** Migrates with a client that has `hooks`. */
async function migrate(hooks: ClientHooks = () => ({})): Promise<number> {
  const client = interceptClient(cluster.client, hooks);
  const { signal } = new AbortController();
  const found = await client.get(CustomResourceDefinition, { name });
  return migrateStorage(next, found, { client, reader: client, signal });
}

async function storedVersions(): Promise<readonly string[] | undefined> {
  return (await cluster.client.get(CustomResourceDefinition, { name })).status?.storedVersions;
}

beforeEach(async () => {
  cluster = new InMemoryCluster();
  const { client } = cluster;
  await client.apply(CustomResourceDefinition, widgets(['v1', true]), { fieldManager: 'test' });
  await eventually(async () => {
    const { status } = await client.get(CustomResourceDefinition, { name });
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
  });
  await client.create({ ...Widget, apiVersion: 'example.com/v1' }, { metadata: key });
  await client.apply(CustomResourceDefinition, next, { fieldManager: 'test' });
});

describe('migrateStorage', () => {
  it.each<[number, string]>([
    [409, 'Forbidden'],
    [409, 'AlreadyExists'],
    [409, 'Conflict'],
    [409, ''],
    [404, 'NotFound'],
    [404, ''],
    [403, 'Forbidden'],
  ])('KS-5: keeps storedVersions if admission refuses an update with %d %s', async (code, reason) => {
    const failed = migrate(() => ({ update: () => Promise.reject(refusal(code, reason)) }));
    await expect(failed).rejects.toThrow('frozen');
    expect(await storedVersions()).toEqual(['v1', 'v2']);
  });

  it('KS-5: names the object that was not stored again', async () => {
    const failed = migrate(() => ({ update: () => Promise.reject(refusal(409, 'Forbidden')) }));
    await expect(failed).rejects.toThrow('Widget default/a is not stored again: admission webhook');
  });

  it('KS-5: stores an object again that was changed in the meantime', async () => {
    let changes = 0;
    const count = await migrate((inner) => ({
      async update(kind, draft, options) {
        if (changes === 0) {
          changes += 1;
          await inner.patch(Widget, key, { metadata: { labels: { app: 'b' } } }, 'merge');
        }
        return inner.update(kind, draft, options);
      },
    }));
    expect([count, changes, await storedVersions()]).toEqual([1, 1, ['v2']]);
    expect(await cluster.client.get(Widget, key)).toMatchObject({ metadata: { labels: { app: 'b' } } });
  });

  it('KS-5: leaves out an object that was deleted in the meantime', async () => {
    const count = await migrate((inner) => ({
      async update(kind, draft, options) {
        await inner.delete(Widget, key);
        return inner.update(kind, draft, options);
      },
    }));
    expect([count, await storedVersions()]).toEqual([0, ['v2']]);
  });

  it('KS-5: keeps storedVersions if a gateway says that an object does not exist', async () => {
    const gone = () => Promise.reject(refusal(404, 'NotFound'));
    await expect(
      migrate((inner) => ({
        update: gone,
        get: (kind, at, options) => (kind.kind === 'Widget' ? gone() : inner.get(kind, at, options)),
      })),
    ).rejects.toThrow('frozen');
    expect(await storedVersions()).toEqual(['v1', 'v2']);
  });

  it('KS-5: keeps storedVersions if the CRD was changed in the meantime', async () => {
    const failed = migrate((inner) => ({
      async update(kind, draft, options) {
        const crd = draftOf(await inner.get(CustomResourceDefinition, { name }));
        await cluster.client.update(CustomResourceDefinition, {
          ...crd,
          spec: widgets(['v1', true], ['v2', false]).spec,
        });
        return inner.update(kind, draft, options);
      },
    }));
    await expect(failed).rejects.toMatchObject({ status: 409, reason: 'Conflict' });
    expect(await storedVersions()).toEqual(['v1', 'v2']);
  });
});
