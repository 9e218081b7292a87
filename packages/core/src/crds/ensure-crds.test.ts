import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CrdManifest, DeepReadonly, KubernetesObject, LogFields } from '@mcr/client';
import { CONVERTED_VERSIONS_ANNOTATION, CustomResourceDefinition, defineKind, silentLogger } from '@mcr/client';
import { createManager } from '../manager/create-manager.ts';
import type { Manager } from '../manager/manager.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { eventually } from '../testing/eventually.ts';
import { InMemoryCluster } from '../testing/in-memory-cluster.ts';
import { REVISION_ANNOTATION } from './definition-state.ts';
import type { EnsureCrdsOptions } from './ensure-crds.ts';
import { ensureCrds } from './ensure-crds.ts';

const name = 'widgets.example.com';
const size = { size: { type: 'integer' as const } };

interface VersionOptions {
  readonly name?: string;
  readonly storage?: boolean;
  readonly fields?: Record<string, { readonly type: 'integer' | 'string' }>;
}

function version({ name: of = 'v1', storage = true, fields = size }: VersionOptions = {}) {
  const spec = { type: 'object', properties: fields };
  return {
    name: of,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  };
}

function widgets(...versions: ReturnType<typeof version>[]): DeepReadonly<CrdManifest> {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
      scope: 'Namespaced',
      versions: versions.length > 0 ? versions : [version()],
    },
  };
}

/** Two versions that need a conversion. */
function differing(): DeepReadonly<CrdManifest> {
  return widgets(version({ storage: false }), version({ name: 'v2', fields: { width: { type: 'integer' } } }));
}

/** A CRD that the compiler refuses. */
function withVersions(versions: unknown[]): object {
  return { ...widgets(), spec: { ...widgets().spec, versions } };
}

const lines: { readonly message: string; readonly fields: LogFields }[] = [];
const logger = {
  ...silentLogger,
  warn: (message: string, fields: LogFields = {}) => void lines.push({ message, fields }),
  child: () => logger,
};
let fleet: InMemoryProvider<InMemoryCluster>;
let manager: Manager;
let end: AbortController;
let ended: Promise<void>;

/** Engages a cluster. */
async function join(clusterName: string, definition?: DeepReadonly<CrdManifest>, labels: Record<string, string> = {}) {
  const cluster = new InMemoryCluster({ name: clusterName });
  cluster.describe({ labels, properties: {} });
  if (definition) await cluster.client.create(CustomResourceDefinition, definition);
  fleet.set(clusterName, cluster);
  await eventually(async () => expect(await manager.getCluster(clusterName)).toBe(cluster));
  return cluster;
}

/** The state of the CRD in the fleet status. */
function status(clusterName: string) {
  const { phase, reason, sources } = manager.fleet.get(clusterName) ?? {};
  return { phase, reason, synced: sources?.[`CRD ${name}`]?.synced };
}

async function ensure(definition: DeepReadonly<CrdManifest>, options: EnsureCrdsOptions = {}): Promise<void> {
  await ensureCrds(manager, [definition], options);
}

beforeEach(async () => {
  lines.length = 0;
  fleet = new InMemoryProvider();
  manager = await createManager({ provider: fleet, config: 'none', logger, metrics: { bindAddress: '0' } });
  end = new AbortController();
  ended = manager.start(end.signal);
});

afterEach(async () => {
  end.abort();
  await ended;
});

describe('ensureCrds without install', () => {
  it('KS-5: accepts a cluster that serves the definition', async () => {
    await join('eu-1', widgets());
    await ensure(widgets());
    await eventually(() => expect(status('eu-1')).toMatchObject({ phase: 'Engaged', synced: true }));
  });

  it('KS-5: reports a missing definition in the fleet status and the log, and changes nothing', async () => {
    const cluster = await join('eu-1');
    await ensure(widgets());
    await eventually(() =>
      expect(status('eu-1')).toMatchObject({
        phase: 'Degraded',
        reason: expect.stringContaining(`CRD ${name} is missing: install it, or set the option "install"`),
      }),
    );
    expect(await cluster.client.find(CustomResourceDefinition, { name })).toBeUndefined();
    expect(lines.map(({ message }) => message)).toContain('failed to ensure a CustomResourceDefinition, retrying');
  });

  it.each<[string, DeepReadonly<CrdManifest>, string]>([
    ['a version that is not served', widgets(version({ name: 'v2' })), 'does not serve version v1'],
    ['a field that is missing', widgets(version({ fields: {} })), 'has no field spec.size in version v1'],
    [
      'another scope',
      { ...widgets(), spec: { ...widgets().spec, scope: 'Cluster' } },
      'expected the scope Namespaced, found Cluster',
    ],
  ])('KS-5: reports %s', async (_, installed, reason) => {
    await join('eu-1', installed);
    await ensure(widgets());
    await eventually(() => expect(status('eu-1').reason).toContain(reason));
  });
});

describe('ensureCrds with install', () => {
  it('KS-5: installs the definition in current and later clusters, and notes the revision', async () => {
    const first = await join('eu-1');
    await ensure(widgets(), { install: true, revision: 3 });
    const second = await join('us-1');
    for (const { client, name: clusterName = '' } of [first, second]) {
      await eventually(() => expect(status(clusterName)).toMatchObject({ phase: 'Engaged', synced: true }));
      const { metadata } = await client.get(CustomResourceDefinition, { name });
      expect(metadata.annotations?.[REVISION_ANNOTATION]).toBe('3');
    }
  });

  it('KS-5: selects clusters by labels, also when labels change', async () => {
    const cluster = await join('eu-1', undefined, { env: 'stage' });
    await ensure(widgets(), { install: true, revision: 1, clusters: { clusterSelector: 'env=prod' } });
    expect(await cluster.client.find(CustomResourceDefinition, { name })).toBeUndefined();
    cluster.describe({ labels: { env: 'prod' }, properties: {} });
    await eventually(() => expect(status('eu-1').synced).toBe(true));
  });

  it('KS-5: installs the definition as it was passed, also if it is changed later', async () => {
    const definition = structuredClone(widgets()) as {
      -readonly [K in keyof DeepReadonly<CrdManifest>]: DeepReadonly<CrdManifest>[K];
    };
    await ensure(definition, { install: true, revision: 1 });
    definition.spec = widgets(version({ fields: {} })).spec;
    const cluster = await join('eu-1');
    await eventually(() => expect(status('eu-1').synced).toBe(true));
    expect(JSON.stringify(await cluster.client.get(CustomResourceDefinition, { name }))).toContain('size');
  });

  it('KS-5: leaves a newer revision alone', async () => {
    const newer = widgets(version({ fields: { ...size, color: { type: 'string' } } }));
    const cluster = await join('eu-1', { ...newer, metadata: { name, annotations: { [REVISION_ANNOTATION]: '4' } } });
    await ensure(widgets(), { install: true, revision: 3 });
    await eventually(() => expect(status('eu-1').synced).toBe(true));
    const { spec } = await cluster.client.get(CustomResourceDefinition, { name });
    expect(JSON.stringify(spec)).toContain('color');
  });

  it('KS-5: names both revisions if a newer one lacks something that the program needs', async () => {
    const newer = widgets(version({ fields: { color: { type: 'string' } } }));
    await join('eu-1', { ...newer, metadata: { name, annotations: { [REVISION_ANNOTATION]: '3' } } });
    await ensure(widgets(), { install: true, revision: 1 });
    await eventually(() =>
      expect(status('eu-1').reason).toContain(
        'has no field spec.size in version v1, so the API server drops it: the CRD has revision 3, and this program has revision 1, so update the program',
      ),
    );
  });

  it('KS-5: refuses a change that would lose data, in this cluster only', async () => {
    const before = widgets(version({ fields: { ...size, color: { type: 'string' } } }));
    const cluster = await join('eu-1', before);
    await join('us-1');
    await ensure(widgets(), { install: true, revision: 2 });
    await eventually(() => expect(status('us-1').synced).toBe(true));
    await eventually(() =>
      expect(status('eu-1').reason).toContain('version v1 accepts fewer values than before (spec.color: removed)'),
    );
    expect(JSON.stringify(await cluster.client.get(CustomResourceDefinition, { name }))).toContain('color');
  });

  it('KS-5: applies it if it is allowed', async () => {
    const before = widgets(version({ fields: { ...size, color: { type: 'string' } } }));
    const cluster = await join('eu-1');
    await cluster.client.apply(CustomResourceDefinition, before, { fieldManager: 'mcr-crds' });
    await ensure(widgets(), { install: true, revision: 2, allow: ['narrowedSchema'] });
    await eventually(() => expect(status('eu-1').synced).toBe(true));
    expect(JSON.stringify((await cluster.client.get(CustomResourceDefinition, { name })).spec)).not.toContain('color');
  });

  it('KS-5: reports the field manager that owns a field', async () => {
    const before = widgets();
    const cluster = await join('eu-1');
    await cluster.client.apply(CustomResourceDefinition, before, { fieldManager: 'helm' });
    const wider = widgets(version({ fields: { size: { type: 'integer' }, color: { type: 'string' } } }));
    await ensure(
      { ...wider, spec: { ...wider.spec, names: { ...wider.spec.names, shortNames: ['w'] } } },
      {
        install: true,
        revision: 1,
      },
    );
    await eventually(() => expect(status('eu-1').reason).toContain('helm'));
    expect(status('eu-1').reason).toContain('or set the option "force"');
  });

  it('KS-5: stores objects of an earlier version again, and then trims storedVersions', async () => {
    const Widget = defineKind({ apiVersion: 'example.com/v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' });
    const cluster = await join('eu-1');
    await cluster.client.apply(CustomResourceDefinition, widgets(), { fieldManager: 'mcr-crds' });
    await cluster.client.create(Widget, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { namespace: 'default', name: 'a' },
    });
    const both = widgets(version({ storage: false }), version({ name: 'v2' }));
    await ensure(both, { install: true, revision: 2, migrateStorage: true });
    await eventually(async () => {
      const { status: found } = await cluster.client.get(CustomResourceDefinition, { name });
      expect(found?.storedVersions).toEqual(['v2']);
    });
  });

  it('KS-5: says that another program writes the conversion', async () => {
    const cluster = await join('eu-1');
    const withUrl = (url: string): DeepReadonly<CrdManifest> => {
      const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url } };
      return { ...differing(), spec: { ...differing().spec, conversion: { strategy: 'Webhook', webhook } } };
    };
    const installed = withUrl('https://a.example.com/convert');
    await cluster.client.apply(CustomResourceDefinition, installed, { fieldManager: 'mcr-webhooks' });
    await ensure(withUrl('https://b.example.com/convert'), { install: true, revision: 1 });
    await eventually(() => expect(status('eu-1').reason).toContain('pass crdOf(kind, { conversion: "external" })'));
  });

  it('KS-5: adds no version with another schema, and migrates nothing, before the conversion webhook is there', async () => {
    const Widget = defineKind<KubernetesObject & { spec: { size: number } }>({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      plural: 'widgets',
      scope: 'Namespaced',
    });
    const cluster = await join('eu-1');
    await cluster.client.apply(CustomResourceDefinition, widgets(), { fieldManager: 'mcr-crds' });
    const metadata = { namespace: 'default', name: 'a' };
    const spec = { size: 3 };
    await cluster.client.create(Widget, { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec });
    await join('us-1');
    await ensure(differing(), { install: true, revision: 2, migrateStorage: true });
    await eventually(() => {
      expect(status('eu-1').reason).toContain('waits for the conversion webhook: it serves v1 only');
      expect(status('us-1').reason).toContain('waits for the conversion webhook: it serves v2 only');
    });
    const found = await cluster.client.get(CustomResourceDefinition, { name });
    expect(found.status?.storedVersions).toEqual(['v1']);
    expect(found.spec.versions.map((each) => each.name)).toEqual(['v1']);
    expect(await cluster.client.get(Widget, metadata)).toMatchObject({ spec });
  });

  it('KS-5: adds the version when the conversion webhook is there', async () => {
    const cluster = await join('eu-1');
    await cluster.client.apply(CustomResourceDefinition, widgets(), { fieldManager: 'mcr-crds' });
    await ensure(differing(), { install: true, revision: 2 });
    await eventually(() => expect(status('eu-1').reason).toContain('waits for the conversion webhook'));
    const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://a.example.com/convert' } };
    const conversion = { spec: { conversion: { strategy: 'Webhook', webhook } } };
    await cluster.client.patch(CustomResourceDefinition, { name }, conversion, 'merge');
    await eventually(() => expect(status('eu-1')).toMatchObject({ phase: 'Engaged', synced: true }));
    const { spec } = await cluster.client.get(CustomResourceDefinition, { name });
    expect(spec.versions.map((each) => each.name)).toEqual(['v1', 'v2']);
    expect(spec.conversion?.strategy).toBe('Webhook');
  });

  it('KS-5: serves a version that waits for the conversion webhook only when the webhook is there', async () => {
    const { spec, ...manifest } = differing();
    const versions = spec.versions.map((each) => ({ ...each, served: each.storage }));
    const metadata = { name, annotations: { [CONVERTED_VERSIONS_ANNOTATION]: 'v1' } };
    const waiting = { ...manifest, metadata, spec: { ...spec, versions } };
    const cluster = await join('eu-1');
    await cluster.client.apply(CustomResourceDefinition, waiting, { fieldManager: 'mcr-crds' });
    const served = async (): Promise<unknown> => {
      const found = await cluster.client.get(CustomResourceDefinition, { name });
      return found.spec.versions.flatMap((each) => (each.served ? [each.name] : []));
    };
    await ensure(waiting, { install: true, revision: 1 });
    await eventually(() => expect(status('eu-1').reason).toContain('it serves v2 only until'));
    expect(await served()).toEqual(['v2']);
    const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://a.example.com/convert' } };
    const conversion = { spec: { conversion: { strategy: 'Webhook', webhook } } };
    await cluster.client.patch(CustomResourceDefinition, { name }, conversion, 'merge');
    await eventually(() => expect(status('eu-1')).toMatchObject({ phase: 'Engaged', synced: true }));
    expect(await served()).toEqual(['v1', 'v2']);
  });

  it('KS-5: refuses to remove a version that objects may be stored in', async () => {
    const cluster = await join('eu-1');
    await cluster.client.apply(CustomResourceDefinition, widgets(), { fieldManager: 'mcr-crds' });
    await ensure(widgets(version({ name: 'v2' })), { install: true, revision: 2 });
    await eventually(() => expect(status('eu-1').reason).toContain('objects may be stored in version v1'));
  });
});

describe('the arguments of ensureCrds', () => {
  it.each<[string, unknown, object, string]>([
    ['no definitions', [], {}, 'expected 1 to 1000 CRDs, found 0'],
    ['a kind', [{ kind: 'Widget' }], {}, 'definitions[0]: expected a CustomResourceDefinition'],
    ['a kind of @mcr/kinds', [defineKind({ apiVersion: 'a.b/v1', kind: 'A', plural: 'as' })], {}, 'pass crdOf(kind)'],
    ['no versions', [withVersions([])], {}, 'expected one version with storage: true, found 0'],
    ['a version that is null', [withVersions([null])], {}, 'spec.versions[0]: expected a version with a name'],
    [
      'another name',
      [{ ...widgets(), metadata: { name: 'widget' } }],
      {},
      `metadata.name: expected ${name}, the plural and the group, found widget`,
    ],
    ['a definition twice', [widgets(), widgets()], {}, `definitions[1]: ${name} occurs twice`],
    ['an installation without a revision', [widgets()], { install: true }, 'option "revision"'],
    ['a migration without an installation', [widgets()], { migrateStorage: true }, 'option "migrateStorage"'],
    ['an unknown option', [widgets()], { installs: true }, 'installs'],
    ['an unknown selection', [widgets()], { clusters: { hub: true } }, 'unknown option "clusters.hub"'],
  ])('KS-5: refuses %s', async (_, definitions, options, message) => {
    await expect(ensureCrds(manager, definitions as DeepReadonly<CrdManifest>[], options)).rejects.toThrow(message);
  });
});
