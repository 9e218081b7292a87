import { describe, expect, it } from '@jest/globals';
import { CONVERTED_VERSIONS_ANNOTATION, type KubernetesObject, type ObjectOf } from '@mcr/client';
import { z } from 'zod';
import { crdOf, defineKind, defineKindVersions, KindVersions, newObject } from '../index.ts';
import { backends, startServer, type TestServer } from '../servers.fixture.ts';
import { checkConversions } from '../testing.ts';

const names = { kind: 'Door', plural: 'doors', scope: 'Namespaced' } as const;
const v1 = defineKind({
  ...names,
  apiVersion: 'home.example.com/v1',
  spec: z.object({ size: z.string().regex(/^\d{1,3}x\d{1,3}$/), color: z.string().max(10).optional() }),
  status: z.object({ open: z.boolean() }),
});
const v2 = defineKind({
  ...names,
  apiVersion: 'home.example.com/v2',
  spec: z.object({
    width: z.string().regex(/^\d{1,3}$/),
    height: z.string().regex(/^\d{1,3}$/),
    locks: z.int32().min(0).max(9).optional(),
  }),
  status: z.object({ open: z.boolean() }),
});

const COLOR = 'home.example.com/color';
const LOCKS = 'home.example.com/locks';

function moved(annotations: Record<string, string> | undefined, removed: string, added: Record<string, string>) {
  const { [removed]: _, ...others } = annotations ?? {};
  const all = { ...others, ...added };
  return { annotations: Object.keys(all).length > 0 ? all : undefined } as { annotations?: Record<string, string> };
}

const Door = defineKindVersions({
  storage: v2,
  served: [v1],
  convert: {
    v1: {
      up: ({ spec, status, metadata }: ObjectOf<typeof v1>) => {
        const [width = '', height = ''] = spec.size.split('x');
        const locks = metadata.annotations?.[LOCKS];
        return {
          spec: { width, height, ...(locks !== undefined && { locks: Number(locks) }) },
          ...(status && { status }),
          metadata: moved(metadata.annotations, LOCKS, spec.color === undefined ? {} : { [COLOR]: spec.color }),
        };
      },
      down: ({ spec, status, metadata }: ObjectOf<typeof v2>) => {
        const color = metadata.annotations?.[COLOR];
        return {
          spec: { size: `${spec.width}x${spec.height}`, ...(color !== undefined && { color }) },
          ...(status && { status }),
          metadata: moved(metadata.annotations, COLOR, spec.locks === undefined ? {} : { [LOCKS]: `${spec.locks}` }),
        };
      },
    },
  },
});

const metadata = { name: 'front', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-02T15:04:05Z' };
const door: KubernetesObject = {
  ...{ apiVersion: v1.apiVersion, kind: 'Door', metadata: { ...metadata, labels: { a: 'b' } } },
  ...{ spec: { size: '80x200', color: 'red' } },
};

/** The same versions with converters that the compiler refuses. */
const versionsWith = (up: (object: KubernetesObject) => object) =>
  defineKindVersions({ storage: v2, served: [v1], convert: { v1: { up, down: (object: object) => object } } as never });

describe('KS-3: versions of a kind', () => {
  it('KS-3: converts objects, of whose metadata only labels and annotations change', () => {
    const stored = Door.convert(door, v2.apiVersion);
    expect(stored).toEqual({
      apiVersion: 'home.example.com/v2',
      kind: 'Door',
      metadata: { ...metadata, labels: { a: 'b' }, annotations: { [COLOR]: 'red' } },
      spec: { width: '80', height: '200' },
    });
    expect(Door.convert(stored, v1.apiVersion)).toEqual(door);
    expect(Door.convert(door, v1.apiVersion)).toEqual(door);
  });

  it('KS-3: accepts the metadata of a parsed object, whose maps have no prototype', () => {
    const fields = Object.assign(Object.create(null) as object, { 'f:spec': {} });
    const managedFields = [{ manager: 'test', operation: 'Update' as const, fieldsV1: fields }];
    const parsed = { ...door, metadata: { ...door.metadata, managedFields } };
    const versions = versionsWith((object) => ({ ...object, spec: { width: '1', height: '2' } }));
    expect(versions.convert(parsed, v2.apiVersion).metadata).toEqual(parsed.metadata);
  });

  it.each<[title: string, up: (object: KubernetesObject) => object, message: string]>([
    [
      'another name',
      (object) => ({ ...object, metadata: { ...object.metadata, name: 'back' } }),
      'conversion from home.example.com/v1 to home.example.com/v2: metadata.name changed: change only labels and annotations',
    ],
    ['nothing', () => undefined as never, 'expected an object, found undefined'],
    ['a list', () => [], 'expected an object, found an array'],
    [
      'a Promise',
      async () => ({ spec: { width: '1', height: '2' } }),
      'expected an object, found an object of class Promise: converters are synchronous, so remove async',
    ],
    ['a Promise that rejects', async () => Promise.reject(new Error('lost')), 'found an object of class Promise'],
    ['a Date', () => new Date(), 'expected an object, found an object of class Date'],
    ['a Map', () => new Map(), 'expected an object, found an object of class Map'],
    ['a Promise as a field', () => ({ spec: Promise.reject(new Error('lost')) }), 'spec: expected a value of JSON'],
    ['a Map in a field', () => ({ spec: { width: new Map() } }), 'spec.width: expected a value of JSON'],
    ['a number that is not finite', () => ({ spec: { width: NaN } }), 'spec.width: expected a value of JSON'],
    ['no spec', () => ({}), 'the result has no spec, which the version requires: return it'],
    ['metadata that are null', (object) => ({ ...object, metadata: null }), 'metadata: expected an object, found null'],
    [
      'labels that are null',
      (object) => ({ ...object, metadata: { labels: null } }),
      'metadata.labels: expected an object of strings',
    ],
  ])('KS-3: refuses a converter that returns %s', (_title, up, message) => {
    expect(() => versionsWith(up).convert(door, v2.apiVersion)).toThrow(message);
  });

  it('KS-3: drops empty labels and annotations of a result, as an API server does', () => {
    const versions = versionsWith(() => ({
      spec: { width: '1', height: '2' },
      metadata: { labels: {}, annotations: {} },
    }));
    expect(versions.convert(door, v2.apiVersion).metadata).toEqual(metadata);
  });

  it('KS-3: does not let a converter change its input', () => {
    const before = structuredClone(door);
    versionsWith((object) => Object.assign(object, { spec: {} })).convert(door, v2.apiVersion);
    expect(door).toEqual(before);
  });

  it('KS-3: checks round trips with random objects of both versions', () => {
    expect(checkConversions(Door, { seed: 7, runs: 50 })).toBe(100);
    const lossy = versionsWith(() => ({ spec: { width: '1', height: '2' } }));
    expect(() => checkConversions(lossy)).toThrow(
      /and back: spec\.size changed: expected ".*", found .*: seed 1, object /,
    );
    const invalid = versionsWith((object) => object);
    expect(() => checkConversions(invalid)).toThrow(
      /does not match the schema \(spec.width: .*\): correct the converter/,
    );
  });

  it('KS-3: checks refined fields with the examples of the schema, which the definition does not contain', () => {
    const even = z
      .string()
      .refine((text) => text === 'two' || text === 'four')
      .meta({ examples: ['two', 'four'] });
    const kind = { ...names, admission: 'webhook', spec: z.object({ even }) } as const;
    const Even = defineKindVersions({
      storage: defineKind({ ...kind, apiVersion: 'home.example.com/v1' }),
      served: [defineKind({ ...kind, apiVersion: 'home.example.com/v2' })],
      convert: { v2: { up: (object) => object, down: (object) => object } },
    });
    expect(checkConversions(Even)).toBe(200);
    expect(JSON.stringify(crdOf(Even, { conversion: 'external' }))).not.toContain('four');
  });

  it('KS-3: refuses versions that do not fit together', () => {
    const define = (options: object) => () => defineKindVersions(options as never);
    const convert = { v1: { up: (object: object) => object, down: (object: object) => object } };
    const cluster = defineKind({ ...names, scope: 'Cluster', apiVersion: 'home.example.com/v1' });
    expect(define({ storage: v2, served: [v1], convert: {} })).toThrow(
      'defineKindVersions: home.example.com/v1 Door has no converters: add convert.v1 with up and down',
    );
    expect(define({ storage: v2, served: [cluster], convert })).toThrow('differs from the stored version in scope');
    const windows = defineKind({ ...names, plural: 'windows', apiVersion: 'home.example.com/v1' });
    expect(define({ storage: v2, served: [windows], convert })).toThrow(
      'home.example.com/v1 Door differs from the stored version in plural: expected "doors", found "windows": use the same in every version',
    );
    expect(define({ storage: v2, served: [v2], convert })).toThrow('is given twice: remove one');
    expect(define({ storage: v2, served: [v1], convert: { ...convert, v3: convert.v1 } })).toThrow(
      'no served version v3',
    );
    expect(define({ storage: v2, served: [], convert })).toThrow('expected a version beside the stored one');
    expect(() => Door.convert(door, 'home.example.com/v9')).toThrow('the version home.example.com/v9 is unknown');
  });

  it('KS-3: recognizes the versions of another copy of the package', async () => {
    const copy = './kind-versions.ts?copy';
    const other = (await import(copy)) as { readonly KindVersions: typeof KindVersions };
    const { storage, served, definitions } = Door;
    const foreign = new other.KindVersions(storage, served, definitions, new Map());
    expect(other.KindVersions).not.toBe(KindVersions);
    expect(foreign instanceof KindVersions).toBe(true);
    expect(crdOf(foreign, { conversion: 'external' })).toEqual(crdOf(Door, { conversion: 'external' }));
    for (const value of [v1, null, undefined, 'Door']) expect((value as unknown) instanceof KindVersions).toBe(false);
  });

  it('KS-3: puts all versions and the webhook into the definition', () => {
    expect(() => crdOf(Door)).toThrow('crdOf: home.example.com/v2 Door has several versions: set conversion');
    expect(() => crdOf(v1, { conversion: 'external' })).toThrow('home.example.com/v1 Door has one version');
    const url = 'https://webhook.example.com/convert';
    const { spec } = crdOf(Door, { conversion: { url } });
    expect(spec.conversion).toEqual({
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url } },
    });
    expect(spec.versions.map(({ name, storage, served }) => ({ name, storage, served }))).toEqual([
      { name: 'v2', storage: true, served: true },
      { name: 'v1', storage: false, served: true },
    ]);
  });

  it('KS-3: serves only the stored version while something else has to write the webhook', () => {
    const { metadata: crd, spec } = crdOf(Door, { conversion: 'external' });
    expect(spec.conversion).toBeUndefined();
    expect(crd.annotations).toEqual({ [CONVERTED_VERSIONS_ANNOTATION]: 'v1' });
    expect(spec.versions.map(({ name, served }) => ({ name, served }))).toEqual([
      { name: 'v2', served: true },
      { name: 'v1', served: false },
    ]);
    const same = { ...names, spec: z.object({ width: z.string() }) };
    const Equal = defineKindVersions({
      storage: defineKind({ ...same, apiVersion: 'home.example.com/v2' }),
      served: [defineKind({ ...same, apiVersion: 'home.example.com/v1' })],
      convert: { v1: { up: (object) => object, down: (object) => object } },
    });
    const equal = crdOf(Equal, { conversion: 'external' });
    expect(equal.metadata.annotations).toBeUndefined();
    expect(equal.spec.versions.every(({ served }) => served)).toBe(true);
  });
});

describe.each(backends)('KS-3: versions on %s', (backend) => {
  const key = { namespace: 'default', name: 'front' };
  const createBoth = async ({ client }: TestServer): Promise<void> => {
    await client.create(v2, newObject(v2, { metadata: key, spec: { width: '80', height: '200' } }), { dryRun: true });
    await client.create(v1, newObject(v1, { metadata: key, spec: { size: '80x200' } }), { dryRun: true });
  };

  it('KS-3: accepts the definition, and validates each version with its own schema', async () => {
    const { spec, ...manifest } = crdOf(Door, { conversion: 'external' });
    const versions = spec.versions.map((version) => ({ ...version, served: true }));
    const server = await startServer(backend, [{ ...manifest, spec: { ...spec, versions } }]);
    await createBoth(server).finally(() => server.stop());
  });

  it('KS-3: does not serve a version that the server cannot convert', async () => {
    const server = await startServer(backend, [crdOf(Door, { conversion: 'external' })]);
    await expect(createBoth(server).finally(() => server.stop())).rejects.toThrow('home.example.com/v1');
  });
});
