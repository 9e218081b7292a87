import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, CustomResourceDefinition } from '@mcr/core';
import { type ControlPlane, createControlPlane } from '@mcr/envtest';
import { type AnyKind, crdOf, type CrdManifest, newObject } from '@mcr/kinds';
import { parseManifests } from '@mcr/apiserver/manifests';
import { Door } from '../../golden/difficult.example.com/door.ts';
import { RecordKind } from '../../golden/difficult.example.com/v1/record.ts';
import { canonicalRoot } from '../definitions/canonical-schema.ts';
import { parseDefinition } from '../definitions/definition.ts';
import { kindModules } from './kind-module.ts';

const GOLDEN = join(import.meta.dirname, '..', '..', 'golden');
const FILE = join(GOLDEN, 'difficult.yaml');

const manifests = parseManifests(await readFile(FILE, 'utf8'), { path: FILE, option: '--crd' });
const definitions = manifests.map(({ object, source }) => parseDefinition(object, source));

/** Backends to test on: kube-apiserver only where its binaries are. */
const backends = process.env['KUBEBUILDER_ASSETS'] ? (['embedded', 'binaries'] as const) : (['embedded'] as const);

describe('modules of definitions with everything that is difficult', () => {
  it('KS-6: are the modules in the repository, which the linters and the compiler of the project check', async () => {
    const modules = definitions.flatMap((each) => kindModules(each));
    expect(modules.map(({ path }) => path)).toEqual([
      'difficult.example.com/v1/record.ts',
      'difficult.example.com/door.ts',
    ]);
    for (const { path, text } of modules) expect(text).toBe(await readFile(join(GOLDEN, path), 'utf8'));
    expect(modules.map(({ text }) => text).join('\n')).not.toMatch(/^\s*\/?\*.*(?:\s)@[a-z]/m);
    expect(modules.flatMap(({ notes }) => notes)).toEqual([
      expect.stringMatching(
        /^records\.difficult\.example\.com\/v1: the column Gone is left out: printerColumns: the path \.spec\.gone/,
      ),
    ]);
  });

  it('KS-6: define the schemas that they were written from', () => {
    const [records, doors] = definitions;
    const written = (manifest: CrdManifest) =>
      manifest.spec.versions.map(({ name, schema }) => [name, canonicalRoot(schema?.openAPIV3Schema, name)]);
    const read = (definition = records) => definition?.versions.map(({ name, schema }) => [name, schema]);
    expect(written(crdOf(RecordKind as AnyKind))).toEqual(read(records));
    expect(written(crdOf(Door, { conversion: 'external' }))).toEqual(read(doors));
    expect(crdOf(RecordKind as AnyKind).metadata.annotations).toEqual({
      'api-approved.kubernetes.io': 'https://example.com/review/1',
    });
  });

  it('KS-6: have schemas that check and complete objects', () => {
    // The compiler accepts an object without the field `constructor`.
    const spec = { class: 'a', 'x-foo': true, list: [{ name: 'a' }], inherited: { own: 1 } };
    const object = newObject(RecordKind, { metadata: { namespace: 'default', name: 'a' }, spec });
    expect(object.spec).toMatchObject({
      ...{ kind: 'a', defaulted: 'x', replicas: 1, list: [{ name: 'a', value: 'v' }] },
      ...{ nested: { inner: { deep: 5 } }, whole: { a: 1, b: 2 } },
    });
    expect(object.count).toBe(3);
    const create = (wrong: object) => () =>
      newObject(RecordKind, { metadata: { name: 'a' }, spec: { class: 'a', ...wrong } });
    expect(create({ ascii: '1' })).not.toThrow();
    expect(create({ replicas: -1 })).toThrow('spec.replicas');
    expect(create({ kind: 'c' })).toThrow('spec.kind');
    expect(create({ set: ['a', 'a'] })).toThrow('spec.set');
    expect(create({ inherited: { own: 1 } })).not.toThrow();
    expect(create({ inherited: { constructor: 'a' } })).toThrow('spec.inherited.own');
    const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-02T15:04:05Z' };
    const door = Door.convert(
      { apiVersion: 'difficult.example.com/v1beta1', kind: 'Door', metadata },
      'difficult.example.com/v1',
    );
    expect(door.apiVersion).toBe('difficult.example.com/v1');
  });
});

describe.each(backends)('modules of definitions on %s', (backend) => {
  let plane: ControlPlane;
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    plane = await createControlPlane({ backend });
    client = createClient(plane.config);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await plane.stop();
  });

  it('KS-6: define kinds whose definitions the server accepts and keeps', async () => {
    for (const manifest of [crdOf(RecordKind), crdOf(Door, { conversion: 'external' })]) {
      await client.apply(CustomResourceDefinition, manifest, { fieldManager: 'test' });
      const { metadata } = manifest;
      const found = await client.get(CustomResourceDefinition, { name: metadata.name });
      const definition = definitions.find(({ name }) => name === metadata.name);
      const kept = found.spec.versions.map(({ name, schema }) => [name, canonicalRoot(schema?.openAPIV3Schema, name)]);
      expect(kept).toEqual(definition?.versions.map(({ name, schema }) => [name, schema]));
    }
  });
});
