import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient, CrdManifest, KubernetesObject } from '@mcr/client';
import {
  ClusterRole,
  ClusterRoleBinding,
  createClient,
  CustomResourceDefinition,
  defineKind,
  silentLogger,
} from '@mcr/client';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { parse } from 'yaml';
import { createManager } from '../manager/create-manager.ts';
import type { Manager } from '../manager/manager.ts';
import { eventually } from '../testing/eventually.ts';
import { REVISION_ANNOTATION } from './definition-state.ts';
import type { EnsureCrdsOptions } from './ensure-crds.ts';
import { ensureCrds } from './ensure-crds.ts';

interface Widget extends KubernetesObject {
  spec?: { size?: number; color?: string };
}

const integer = { type: 'integer' };
const string = { type: 'string' };

/* Runs against the embedded API server, and with $MCR_BACKEND=binaries against kube-apiserver. */
describe('definitions of an API server', () => {
  let plane: ControlPlane;
  let client: ApiClient;
  let count = 0;
  let plural: string;
  let name: string;
  let manager: Manager;
  let end: AbortController;
  let stopped: Promise<void>;

  beforeAll(async () => {
    plane = await createControlPlane({});
    client = createClient(plane.config);
  });
  afterAll(async () => {
    await client.close();
    await plane.stop();
  });
  beforeEach(async () => {
    count += 1;
    plural = `widget${count}s`;
    name = `${plural}.example.com`;
    await run({});
  });
  afterEach(async () => {
    end.abort();
    await stopped;
  });

  /** Starts a manager. */
  async function run({ user }: { readonly user?: string }): Promise<void> {
    const config = { ...plane.config, ...(user !== undefined && { impersonate: { user } }) };
    manager = await createManager({ config, logger: silentLogger, metrics: { bindAddress: '0' } });
    end = new AbortController();
    stopped = manager.start(end.signal);
  }

  const version = (versionName: string, storage: boolean, fields: object) => {
    const spec = { type: 'object' as const, properties: { size: integer, ...fields } };
    const schema = { openAPIV3Schema: { type: 'object' as const, properties: { spec } } };
    return { name: versionName, served: true, storage, schema };
  };
  const definition = (...versions: ReturnType<typeof version>[]) =>
    ({
      apiVersion: CustomResourceDefinition.apiVersion,
      kind: CustomResourceDefinition.kind,
      metadata: { name },
      spec: {
        group: 'example.com',
        names: { kind: `Widget${count}`, plural },
        scope: 'Namespaced',
        versions,
      },
    }) as CrdManifest;
  const widget = (apiVersion: string) =>
    defineKind<Widget>({
      apiVersion: `example.com/${apiVersion}`,
      kind: `Widget${count}`,
      plural,
      scope: 'Namespaced',
    });
  const key = { namespace: 'default', name: 'a' };
  const ensure = (wanted: CrdManifest, options: EnsureCrdsOptions = {}) =>
    ensureCrds(manager, [wanted], { install: true, revision: 1, ...options });
  const source = () => manager.fleet.get('')?.sources[`CRD ${name}`];
  const reason = () => manager.fleet.get('')?.reason ?? '';
  const isSynced = () => eventually(() => expect([source()?.synced, reason()]).toEqual([true, expect.anything()]));
  const found = () => client.get(CustomResourceDefinition, { name });
  /** Installs a definition as an earlier run of the program. */
  const installed = async (wanted: CrdManifest, revision: number) => {
    const metadata = { name, annotations: { [REVISION_ANNOTATION]: String(revision) } };
    await client.apply(CustomResourceDefinition, { ...wanted, metadata }, { fieldManager: 'mcr-crds' });
    const [first] = wanted.spec.versions;
    await eventually(() => client.list(widget(first?.name ?? ''), { limit: 1 }));
  };

  it('KS-5: installs a definition, whose objects can be written once it is synced', async () => {
    await ensure(definition(version('v1', true, {})));
    await isSynced();
    const created = await client.create(widget('v1'), { metadata: key, spec: { size: 3 } });
    expect(created.spec).toEqual({ size: 3 });
    expect((await found()).metadata.annotations?.[REVISION_ANNOTATION]).toBe('1');
  });

  it('KS-5: updates a definition to a schema with more fields, which the server then keeps', async () => {
    await installed(definition(version('v1', true, {})), 1);
    await ensure(definition(version('v1', true, { color: string })), { revision: 2 });
    await isSynced();
    expect((await found()).metadata.annotations?.[REVISION_ANNOTATION]).toBe('2');
    await eventually(async () => {
      const draft = { metadata: key, spec: { color: 'red' } };
      expect((await client.create(widget('v1'), draft, { dryRun: true })).spec).toEqual({ color: 'red' });
    });
  });

  it('KS-5: refuses a schema that accepts fewer values, and leaves the definition as is', async () => {
    await installed(definition(version('v1', true, { color: string })), 1);
    const before = await found();
    await ensure(definition(version('v1', true, {})), { revision: 2 });
    await eventually(() =>
      expect(reason()).toContain('version v1 accepts fewer values than before (spec.color: removed)'),
    );
    expect((await found()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(source()?.synced).toBe(false);
  });

  it('KS-5: neither changes nor downgrades a newer revision', async () => {
    await installed(definition(version('v1', true, { color: string })), 7);
    const before = await found();
    await ensure(definition(version('v1', true, {})), { revision: 6, allow: ['narrowedSchema'], force: true });
    await isSynced();
    expect((await found()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('KS-5: stores objects in the next version, trims storedVersions, and can then remove the earlier version', async () => {
    await installed(definition(version('v1', true, {})), 1);
    const created = await client.create(widget('v1'), { metadata: key, spec: { size: 3 } });
    const next = definition(version('v1', false, {}), version('v2', true, {}));
    await ensure(next, { revision: 2, migrateStorage: true });
    await isSynced();
    expect((await found()).status?.storedVersions).toEqual(['v2']);
    const migrated = await client.get(widget('v2'), key);
    expect([migrated.spec, migrated.metadata.uid]).toEqual([{ size: 3 }, created.metadata.uid]);
    // API servers change the version of an object only if it is stored in other bytes.
    expect(migrated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);

    end.abort();
    await stopped;
    await run({});
    await ensure(definition(version('v2', true, {})), { revision: 3 });
    await isSynced();
    expect((await found()).spec.versions.map((each) => each.name)).toEqual(['v2']);
    expect((await client.get(widget('v2'), key)).spec).toEqual({ size: 3 });
  });

  it('KS-5: refuses to remove a version that is in storedVersions, as the server does', async () => {
    await installed(definition(version('v1', true, {})), 1);
    const without = definition(version('v2', true, {}));
    await ensure(without, { revision: 2 });
    await eventually(() => expect(reason()).toContain('objects may be stored in version v1'));
    const refused = client.apply(CustomResourceDefinition, without, { fieldManager: 'mcr-crds', force: true });
    await expect(refused).rejects.toMatchObject({ status: 422 });
    await expect(refused).rejects.toThrow('status.storedVersions[0]');
  });

  it('KS-5: installs with the permissions of the manifest, which allow no other definition', async () => {
    const text = await readFile(new URL('../../manifests/rbac-crds.yaml', import.meta.url), 'utf8');
    const role = parse(text.replaceAll('carts.shop.example.com', name)) as ClusterRole;
    await client.create(ClusterRole, role);
    await client.create(ClusterRoleBinding, {
      metadata: { name: role.metadata.name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role.metadata.name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'installer' }],
    });
    end.abort();
    await stopped;
    await run({ user: 'installer' });
    await ensure(definition(version('v1', true, {})));
    await isSynced();
    name = 'others.example.com';
    const other = { ...definition(version('v1', true, {})), metadata: { name } };
    await ensure({ ...other, spec: { ...other.spec, names: { kind: 'Other', plural: 'others' } } });
    await eventually(() => expect(reason()).toMatch(/forbidden|cannot/iu));
    expect(await client.find(CustomResourceDefinition, { name })).toBeUndefined();
  });
});
