import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, RawClient } from '../raw-client.fixture.ts';
import { isTooDeep, NESTING_LIMIT, TOO_DEEP } from './nesting.ts';

const THINGS = '/apis/example.com/v1/namespaces/default/things';

function schemaOf(levels: number): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

function definition(plural: string, openAPIV3Schema: object): object {
  const names = { plural, singular: plural, kind: 'Thing', listKind: 'ThingList' };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions },
  };
}

/** A custom resource of more than `levels` levels. */
function thing(name: string, levels: number): string {
  const spec = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  return `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"${name}"},"spec":${spec}}`;
}

describe('nesting', () => {
  let controlPlane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    controlPlane = await createControlPlane({ crds: [definition('things', open) as never] });
    client = new RawClient(controlPlane.config);
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await controlPlane.stop();
  });

  it('K-24: counts brackets outside of strings', () => {
    const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(isTooDeep(deep(NESTING_LIMIT))).toBe(false);
    expect(isTooDeep(deep(NESTING_LIMIT + 1))).toBe(true);
    expect(isTooDeep(JSON.stringify(['"\\', deep(1000), `\\"${deep(1000)}`]))).toBe(false);
    expect(isTooDeep('[]'.repeat(1000))).toBe(false);
  });

  it('K-24: serves objects below the limit', async () => {
    const levels = NESTING_LIMIT - 5;
    expect((await client.request('POST', THINGS, { body: thing('deep', levels) })).status).toBe(201);
    expect((await client.apply(`${THINGS}/applied`, thing('applied', levels), 'one')).status).toBe(201);
    expect((await client.patch(`${THINGS}/deep`, thing('deep', levels - 1))).status).toBe(200);
    expect((await client.apply(`${THINGS}/deep`, thing('deep', levels), 'one', '&force=true')).status).toBe(200);
    expect((await client.get(`${THINGS}/deep`, { accept: 'application/yaml' })).status).toBe(200);
  });

  it.each([2000, 11_000])('K-24: refuses bodies of %d levels', async (levels) => {
    const body = thing('refused', levels);
    const answers = [
      await client.request('POST', THINGS, { body }),
      await client.request('POST', CONFIG_MAPS, { body }),
      await client.patch(`${THINGS}/deep`, body),
      await client.apply(`${THINGS}/refused`, body, 'one'),
      await client.request('DELETE', `${THINGS}/deep`, { body }),
    ];
    for (const { status, body: refusal } of answers) {
      expect([status, refusal.message]).toEqual([400, expect.stringContaining(TOO_DEEP)]);
    }
  });

  it('K-12: refuses a JSON patch that makes an object too deep', async () => {
    await client.request('POST', THINGS, { body: thing('patched', 400) });
    const patch = [{ op: 'copy', from: '/spec', path: `/spec${'/a'.repeat(399)}/b` }];
    const leaf = [{ op: 'replace', path: `/spec${'/a'.repeat(399)}`, value: {} }];
    const { status, body } = await client.patch(`${THINGS}/patched`, [...leaf, ...patch], 'json-patch');
    expect([status, body.message]).toEqual([400, TOO_DEEP]);
  });

  it.each([
    [240, 201],
    [700, 400],
  ])('K-19: answers a schema of %d levels with %d', async (levels, code) => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
    expect((await client.post(path, definition('deeps', schemaOf(levels)))).status).toBe(code);
  });
});
