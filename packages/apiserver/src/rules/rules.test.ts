import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PUMPS = '/apis/example.com/v1/namespaces/default/pumps';

const text = { type: 'string', maxLength: 20 };

const spec = {
  type: 'object',
  'x-kubernetes-validations': [
    { rule: 'self.min <= self.max', message: 'min must not exceed max' },
    {
      rule: 'self.size == oldSelf.size',
      fieldPath: '.size',
      message: 'size is immutable',
      reason: 'FieldValueForbidden',
    },
    { rule: "!has(self.name) || self.name != 'bad'", messageExpression: "'bad name: ' + self.name" },
  ],
  required: ['min', 'max', 'size'],
  properties: {
    min: { type: 'integer' },
    max: { type: 'integer' },
    size: { type: 'integer' },
    name: text,
    'dotted.name': text,
    port: {
      'x-kubernetes-int-or-string': true,
      'x-kubernetes-validations': [{ rule: 'type(self) == int || self != ""' }],
    },
    once: {
      ...text,
      'x-kubernetes-validations': [{ rule: 'oldSelf.hasValue() || self == "new"', optionalOldSelf: true }],
    },
    color: { type: 'string', enum: ['red', 'blue'] },
    parts: {
      type: 'array',
      maxItems: 10,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
      items: {
        type: 'object',
        required: ['id'],
        properties: { id: text, weight: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: 'self.weight >= oldSelf.weight', message: 'weight must not decrease' }],
      },
    },
    tags: { type: 'array', maxItems: 5, items: text, 'x-kubernetes-list-type': 'set' },
  },
};

const definition = (plural: string, kind: string, specSchema: object): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            'x-kubernetes-validations': [{ rule: "self.metadata.name != 'forbidden'" }],
            properties: {
              spec: specSchema,
              status: {
                type: 'object',
                properties: { level: { type: 'integer' } },
                'x-kubernetes-validations': [{ rule: 'self.level >= 0' }],
              },
            },
          },
        },
      },
    ],
  },
});

describe('rules of custom kinds', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane();
    client = new RawClient(plane.config);
    expect((await client.post(CRDS, definition('pumps', 'Pump', spec))).status).toBe(201);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  const pump = (name: string, fields: object = {}) => ({
    apiVersion: 'example.com/v1',
    kind: 'Pump',
    metadata: { name },
    spec: { min: 1, max: 2, size: 3, ...fields },
  });

  it('K-26: refuses a rule that does not compile', async () => {
    const broken = { type: 'object', properties: { a: text }, 'x-kubernetes-validations': [{ rule: 'self.b == 1' }] };
    const { status, body } = await client.post(CRDS, definition('valves', 'Valve', broken));
    expect(status).toBe(422);
    expect(body.message).toContain(
      "compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b == 1\n | ....^",
    );
  });

  it('K-26: refuses a rule that could cost too much', async () => {
    const list = {
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x != y))' }],
    };
    const { status, body } = await client.post(
      CRDS,
      definition('valves', 'Valve', { type: 'object', properties: { list } }),
    );
    expect(status).toBe(422);
    expect(body.message).toContain('estimated rule cost exceeds budget by factor of more than 100x');
  });

  it('K-26: enforces rules at creation, with their messages', async () => {
    const { status, body } = await client.post(PUMPS, pump('a', { min: 5, name: 'bad' }));
    expect(status).toBe(422);
    expect(body.message).toBe(
      'Pump.example.com "a" is invalid: [spec: Invalid value: min must not exceed max, spec: Invalid value: bad name: bad]',
    );
    expect((await client.post(PUMPS, pump('forbidden'))).body.message).toContain(
      "<nil>: Invalid value: failed rule: self.metadata.name != 'forbidden'",
    );
    expect((await client.post(PUMPS, pump('a', { port: '' }))).body.message).toContain(
      'spec.port: Invalid value: "": failed rule: type(self) == int || self != ""',
    );
    expect((await client.post(PUMPS, pump('a', { once: 'old' }))).status).toBe(422);
    expect((await client.post(PUMPS, pump('a', { once: 'new', port: 80, 'dotted.name': 'x' }))).status).toBe(201);
  });

  it('K-26: enforces rules of transitions, also of the items of keyed lists, and of the status', async () => {
    await client.post(PUMPS, pump('b', { parts: [{ id: 'x', weight: 2 }] }));
    const path = `${PUMPS}/b`;
    const size = await client.patch(path, { spec: { size: 4 } });
    expect(size.body.details.causes).toEqual([
      { reason: 'FieldValueForbidden', message: 'Forbidden: size is immutable', field: 'spec.size' },
    ]);
    const parts = [
      { id: 'y', weight: 0 },
      { id: 'x', weight: 1 },
    ];
    expect((await client.patch(path, { spec: { parts } })).body.message).toContain(
      'spec.parts[1]: Invalid value: weight must not decrease',
    );
    expect((await client.apply(path, pump('b', { size: 9 }), 'me', '&force=true')).status).toBe(422);
    expect((await client.patch(`${path}/status`, { status: { level: -1 } })).body.message).toContain(
      'status: Invalid value: failed rule: self.level >= 0',
    );
    expect((await client.patch(`${path}/status`, { status: { level: 1 } })).status).toBe(200);
  });

  it('K-26: does not evaluate rules while the object violates its schema', async () => {
    const { body } = await client.post(PUMPS, pump('c', { min: '5' }));
    expect(body.message).toContain(
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    );
  });

  it('K-26: an update may keep invalid values that it does not change', async () => {
    const loose = {
      ...spec,
      properties: { ...spec.properties, color: text, tags: { type: 'array', items: text, maxItems: 5 } },
    };
    const { 'x-kubernetes-validations': _, ...lax } = loose;
    await client.post(CRDS, definition('tanks', 'Tank', lax));
    const path = PUMPS.replace('pumps', 'tanks');
    const tank = { ...pump('t', { color: 'green', min: 9, tags: ['a', 'a'] }), kind: 'Tank' };
    expect((await client.post(path, tank)).status).toBe(201);
    const { body } = await client.get(`${CRDS}/tanks.example.com`);
    await client.put(`${CRDS}/tanks.example.com`, {
      ...body,
      spec: (definition('tanks', 'Tank', spec) as { spec: object }).spec,
    });
    const labelled = await client.patch(`${path}/t`, { metadata: { labels: { a: 'b' } } });
    expect(labelled.status).toBe(200);
    expect(labelled.headers['warning']).toContain('min must not exceed max');
    expect((await client.patch(`${path}/t`, { spec: { color: 'pink' } })).status).toBe(422);
    expect((await client.post(path, { ...tank, metadata: { name: 'u' } })).status).toBe(422);
  });

  it('K-26: refuses duplicates in sets and keyed lists', async () => {
    const { body } = await client.post(
      PUMPS,
      pump('d', { tags: ['a', 'b', 'a', 'a'], parts: [{ id: 'x' }, { id: 'x' }] }),
    );
    expect(body.message).toContain('spec.tags[2]: Duplicate value: "a"');
    expect(body.message).not.toContain('spec.tags[3]');
    expect(body.message).toContain('spec.parts[1]: Duplicate value: {"id":"x"}');
  });
});
