import { Choices } from '../choices.ts';
import type { Example } from '../examples.ts';
import { examples } from '../examples.ts';
import { mutate } from '../mutation.ts';
import type { Json, JsonObject, Operation } from '../operation.ts';
import { JSON_TYPE, PATCH_TYPES } from '../operation.ts';
import { accept, readQuery, writeQuery } from './queries.ts';

const NAMES = ['a', 'b', 'c'] as const;
const BAD_NAMES = ['', 'A', 'a_b', '-a', 'a.', 'x'.repeat(254), 'a/b', '..', 'a b', '%'] as const;

/** Kinds whose names must have a form of their own. */
const FIXED_NAMES: Readonly<Record<string, string>> = { ipaddresses: '10.0.0.200' };

/** Returns one operation on an object, or on a collection, of a kind. */
export function onKind(choices: Choices, example: Example): Operation {
  return choices.weighted<() => Operation>([
    [10, () => create(choices, example)],
    [4, () => read(choices, example)],
    [3, () => list(choices, example)],
    [5, () => update(choices, example)],
    [6, () => patch(choices, example)],
    [5, () => apply(choices, example)],
    [2, () => subresource(choices, example)],
    [6, () => remove(choices, example)],
    [0.5, () => removeAll(choices, example)],
  ])();
}

/** Returns one operation on a built-in kind. */
export function onBuiltIn(choices: Choices): Operation {
  return onKind(choices, choices.weighted(examples.map((example) => [example.weight, example] as const)));
}

export function nameOf(choices: Choices, { collection }: Example): string {
  return FIXED_NAMES[collection.slice(collection.lastIndexOf('/') + 1)] ?? choices.one(NAMES);
}

function named(object: JsonObject, name: string, more: JsonObject = {}): JsonObject {
  return { ...object, metadata: { ...(object['metadata'] as JsonObject | undefined), name, ...more } };
}

/** Returns an object of a kind, which may be invalid. */
function objectOf(choices: Choices, example: Example, name: string): JsonObject {
  const valid = named(choices.one(example.objects), name, someMetadata(choices));
  return choices.weighted<() => JsonObject>([
    [4, () => valid],
    [5, () => mutate(choices, valid)],
    [1, () => mutate(choices, mutate(choices, valid))],
    [1, () => mutate(choices, valid, true)],
    [example.invalid.length > 0 ? 3 : 0, () => named(choices.one(example.invalid), name)],
  ])();
}

function someMetadata(choices: Choices): JsonObject {
  return {
    ...(choices.chance(0.3) && { labels: { app: 'web', tier: choices.one(['gold', 'silver']) } }),
    ...(choices.chance(0.15) && { annotations: { 'example.com/note': choices.one(['x', 'y']) } }),
    ...(choices.chance(0.05) && { finalizers: ['example.com/hold'] }),
    ...(choices.chance(0.05) && { labels: { 'bad key!': 'x' } }),
  };
}

function create(choices: Choices, example: Example): Operation {
  const { collection } = example;
  const name = nameOf(choices, example);
  const object = objectOf(choices, example, name);
  const query = writeQuery(choices);
  const base = { method: 'POST', path: `${collection}${query}`, headers: JSON_TYPE } as const;
  return choices.weighted<() => Operation>([
    [
      14,
      () => ({ ...base, headers: { ...JSON_TYPE, ...accept(choices) }, body: object, writes: `${collection}/${name}` }),
    ],
    [
      1,
      () => ({
        ...base,
        path: `${collection}?dryRun=All`,
        body: { ...object, metadata: { generateName: choices.one(['gen-', 'gen-', 'Gen_']) } },
      }),
    ],
    [1, () => ({ ...base, body: { ...object, metadata: { name: choices.one(BAD_NAMES) } } })],
    [0.5, () => ({ ...base, body: named(object, name, { namespace: choices.one(['judge', 'other', '']) }) })],
    [0.5, () => ({ ...base, body: named(object, name, { uid: 'x', resourceVersion: choices.one(['', '5', 'x']) }) })],
    [0.5, () => ({ ...base, body: { ...object, apiVersion: choices.one(['v1', 'v2', 'apps/v1', '', 'a/b/c']) } })],
    [0.5, () => ({ ...base, body: { ...object, kind: choices.one(['Pod', 'Unknown', '', 'Status']) } })],
    [1, () => ({ ...base, body: broken(choices, object) })],
    [0.5, () => ({ ...base, headers: contentType(choices), body: object })],
  ])();
}

/** Returns a text that is not the JSON of the object. */
function broken(choices: Choices, object: JsonObject): Json {
  const text = JSON.stringify(object);
  return choices.one<Json>([
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '5',
    'true',
    'a: b',
    text.slice(0, -1),
    `${text}}`,
    `${text}x`,
    text.replace('"metadata"', '"Metadata"'),
    text.replace('{', '{"kind":"Pod",'),
    text.replace('"metadata":{', '"metadata":{"labels":5,'),
    text.replace('"metadata":{', '"metadata":{"creationTimestamp":"yesterday",'),
    text.replace('"metadata":{', '"metadata":{"generation":"x",'),
    text.replace('"metadata":{', '"metadata":{"ownerReferences":[{}],'),
    text.replace('"metadata":{', '"metadata":{"finalizers":["a"],'),
    text.replace('"metadata":{', '"metadata":{"unknown":1,'),
    text.replace('"metadata":{', '"metadata":{"selfLink":"/x","generation":7,'),
    text.replace(/"metadata":\{[^}]*\}/u, '"metadata":null'),
    text.replace(/"metadata":\{[^}]*\}/u, '"metadata":[]'),
  ]);
}

function contentType(choices: Choices): Readonly<Record<string, string>> {
  const type = choices.one([
    ...['', 'text/plain', 'application/xml', 'application/yaml', 'application/json; charset=utf-8', 'application/*'],
    ...['application/vnd.kubernetes.protobuf', 'application/merge-patch+json', 'x', 'application/json;x'],
  ]);
  return type === '' ? {} : { 'content-type': type };
}

function read(choices: Choices, example: Example): Operation {
  const path = `${example.collection}/${nameOf(choices, example)}`;
  const query = choices.chance(0.2)
    ? choices.one(['?resourceVersion=0', '?pretty=true', '?resourceVersion=x', '?x=y'])
    : '';
  const settled = query.includes('resourceVersion=0') ? { settles: example.collection } : {};
  return { method: 'GET', path: `${path}${query}`, headers: accept(choices, 0.4), ...settled };
}

function list(choices: Choices, { collection }: Example): Operation {
  const path = choices.chance(0.1) ? collection.replace(/\/namespaces\/[^/]+/u, '') : collection;
  return { method: 'GET', path: `${path}${readQuery(choices, path)}`, headers: accept(choices, 0.3), settles: path };
}

function update(choices: Choices, example: Example): Operation {
  const { collection } = example;
  const name = nameOf(choices, example);
  const path = `${collection}/${name}`;
  const object = objectOf(choices, example, name);
  const base = { method: 'PUT', path: `${path}${writeQuery(choices)}`, headers: JSON_TYPE, writes: path } as const;
  const metadata: JsonObject = choices.one<JsonObject>([
    {},
    {},
    { resourceVersion: `{{version ${path}}}` },
    { resourceVersion: `{{first ${path}}}` },
    { uid: `{{uid ${path}}}` },
    { uid: '00000000-0000-0000-0000-000000000001' },
    { name: 'other' },
    { name: undefined },
    { namespace: 'other' },
    { generation: 5, creationTimestamp: '2020-01-01T00:00:00Z' },
  ]);
  const mutation = choices.chance(0.7) ? choices.below(2 ** 31) : undefined;
  const change = (current: JsonObject): Json => {
    const own = current['metadata'] as JsonObject | undefined;
    const merged: JsonObject = { ...current, metadata: { ...own, name, ...metadata } };
    return mutation === undefined ? merged : mutateBy(mutation, merged);
  };
  return choices.chance(0.6)
    ? { ...base, changed: { of: path, change } }
    : { ...base, body: named(object, name, metadata) };
}

/** Changes an object by a seed. Its status stays the same. */
function mutateBy(seed: number, object: JsonObject): JsonObject {
  const choices = new Choices(seed);
  const { status, ...rest } = object;
  const changed = mutate(choices, rest);
  return status === undefined ? changed : { ...changed, status };
}

function patch(choices: Choices, example: Example): Operation {
  const name = nameOf(choices, example);
  const path = `${example.collection}/${name}`;
  const object = objectOf(choices, example, name);
  const type = choices.weighted([
    [4, 'merge'],
    [4, 'strategic'],
    [3, 'json'],
  ] as const);
  const body: Json =
    type === 'json'
      ? choices.chance(0.05)
        ? choices.one<Json>([{}, '', 'x', [{}], [5], null])
        : Array.from({ length: 1 + choices.below(2) }, () => jsonPatch(choices, object))
      : choices.weighted<() => Json>([
          [4, () => partOf(choices, object)],
          [
            3,
            () => ({
              metadata: { labels: { [choices.one(['app', 'tier', 'bad key!'])]: choices.one(['x', null, '', 5]) } },
            }),
          ],
          [
            1,
            () => ({
              metadata: { annotations: choices.one<Json>([{ a: 'b' }, null, { a: null }, { 'A b': 'c' }, 'x']) },
            }),
          ],
          [1, () => ({ metadata: { finalizers: choices.one<Json>([null, ['example.com/hold'], ['x'], []]) } })],
          [
            1,
            () => ({
              metadata: { resourceVersion: choices.one([`{{version ${path}}}`, `{{first ${path}}}`, 'x', '']) },
            }),
          ],
          [1, () => ({ metadata: { managedFields: choices.one<Json>([[], [{}], null, 'x']) } })],
          [1, () => choices.one<Json>(['', '{', 'null', '[]', 'a: b', '5', {}])],
          [1, () => ({ $patch: choices.one(['replace', 'delete', 'x']), ...partOf(choices, object) })],
        ])();
  const suffix = choices.chance(0.08) ? choices.one(['/status', '/scale', '/x', '/']) : '';
  return {
    method: 'PATCH',
    path: `${path}${suffix}${writeQuery(choices)}`,
    headers: { 'content-type': choices.chance(0.02) ? 'application/json' : PATCH_TYPES[type] },
    body,
    writes: path,
  };
}

function jsonPatch(choices: Choices, object: JsonObject): Json {
  const path = choices.one([
    ...['/metadata/labels', '/metadata/labels/app', '/metadata/annotations/a', '/data/k', '/spec/replicas', '/spec'],
    ...['/spec/template/spec/containers/0/image', '/spec/containers/0/image', '/nothing', '', 'x', '/metadata/name'],
    ...['/metadata/labels/-', '/spec/containers/5', '/metadata/labels/a~1b', '/metadata/finalizers/-'],
    ...Object.keys(object).map((field) => `/${field}`),
  ]);
  return {
    op: choices.one(['add', 'replace', 'remove', 'test', 'copy', 'move', 'x']),
    path,
    ...(choices.chance(0.9) && { value: choices.one<Json>(['x', 1, null, {}, [], { a: 'b' }, 'nginx:2', true]) }),
    ...(choices.chance(0.2) && { from: choices.one(['/metadata/labels', '/nothing', '/metadata/name', '/data']) }),
  };
}

/** Returns one field of an object, with its parents. */
function partOf(choices: Choices, object: JsonObject): JsonObject {
  const fields = Object.keys(object).filter((field) => !['apiVersion', 'kind', 'metadata'].includes(field));
  if (fields.length === 0) return { metadata: { labels: { app: 'x' } } };
  const field = choices.one(fields);
  const value = object[field];
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || choices.chance(0.3)) return { [field]: choices.chance(0.1) ? null : value };
  const inner = choices
    .some(Object.entries(value), 0.4)
    .map(([key, item]) => [key, choices.chance(0.1) ? null : item] as const);
  return { [field]: Object.fromEntries(inner) };
}

function apply(choices: Choices, example: Example): Operation {
  const name = nameOf(choices, example);
  const path = `${example.collection}/${name}`;
  const object = objectOf(choices, example, name);
  const manager = choices.weighted([
    [8, `fieldManager=${choices.one(['one', 'two', 'three'])}`],
    [0.3, ''],
    [0.2, `fieldManager=${'x'.repeat(129)}`],
  ] as const);
  const force = choices.weighted([
    [3, ''],
    [3, '&force=true'],
    [1, '&force=false'],
    [0.2, '&force=x'],
    [0.5, '&dryRun=All'],
    [0.5, '&fieldValidation=Strict'],
  ] as const);
  const whole: JsonObject = { ...object, metadata: { ...(object['metadata'] as JsonObject | undefined) } };
  const part = choices.chance(0.4)
    ? {
        apiVersion: object['apiVersion'],
        kind: object['kind'],
        metadata: { name, ...someMetadata(choices) },
        ...partOf(choices, object),
      }
    : whole;
  return {
    method: 'PATCH',
    path: `${path}?${manager}${force}`,
    headers: { 'content-type': PATCH_TYPES.apply },
    body: choices.chance(0.03) ? broken(choices, part) : part,
    writes: path,
  };
}

function subresource(choices: Choices, example: Example): Operation {
  const name = nameOf(choices, example);
  const path = `${example.collection}/${name}`;
  const kind = choices.one([
    'status',
    'status',
    'scale',
    'scale',
    'eviction',
    'binding',
    'token',
    'log',
    'approval',
    'x',
  ]);
  const whole = { path: `${path}/${kind}`, writes: path };
  const status: JsonObject = choices.one<JsonObject>([
    { phase: 'Running' },
    { replicas: 2, readyReplicas: 1 },
    { replicas: -1 },
    { conditions: [{ type: 'Ready', status: 'True' }] },
    {
      conditions: [
        { type: 'Ready', status: 'Maybe' },
        { type: 'Ready', status: 'True' },
      ],
    },
    { observedGeneration: 3, active: 1 },
    { unknown: 1 },
    {},
  ]);
  if (kind === 'eviction' || kind === 'binding' || kind === 'token') {
    const bodies: Readonly<Record<string, JsonObject>> = {
      eviction: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
      binding: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name },
        target: { kind: 'Node', name: choices.one(['n1', '']) },
      },
      token: { spec: { expirationSeconds: choices.one([600, 5, 3600]), audiences: choices.one<Json>([[], ['x']]) } },
    };
    return { ...whole, method: 'POST', headers: JSON_TYPE, body: bodies[kind] as JsonObject };
  }
  const scale: JsonObject = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name },
    spec: { replicas: choices.one<Json>([0, 1, 3, -1, 'x']) },
  };
  const content: JsonObject = kind === 'scale' ? scale : named({ ...example.objects[0], status }, name);
  return choices.one<() => Operation>([
    () => ({ ...whole, method: 'GET', headers: accept(choices, 0.2) }),
    () => ({ ...whole, method: 'PUT', headers: JSON_TYPE, body: content }),
    () => ({
      ...whole,
      method: 'PATCH',
      headers: { 'content-type': PATCH_TYPES[choices.one(['merge', 'strategic'] as const)] },
      body: kind === 'scale' ? { spec: scale['spec'] } : { status },
    }),
    () => ({
      ...whole,
      method: 'PATCH',
      path: `${whole.path}?fieldManager=${choices.one(['one', 'two'])}${choices.one(['', '&force=true'])}`,
      headers: { 'content-type': PATCH_TYPES.apply },
      body:
        kind === 'scale'
          ? scale
          : { apiVersion: content['apiVersion'], kind: content['kind'], metadata: { name }, status },
    }),
  ])();
}

function remove(choices: Choices, example: Example): Operation {
  const path = `${example.collection}/${nameOf(choices, example)}`;
  const body = choices.weighted<Json | undefined>([
    [6, undefined],
    [1, { preconditions: { uid: `{{uid ${path}}}` } }],
    [1, { preconditions: { uid: 'other' } }],
    [1, { preconditions: { resourceVersion: `{{version ${path}}}` } }],
    [1, { preconditions: { resourceVersion: `{{first ${path}}}` } }],
    [1, { propagationPolicy: choices.one(['Background', 'Sideways', '']) }],
    [0.5, { propagationPolicy: 'Background', orphanDependents: true }],
    [1, { gracePeriodSeconds: choices.one([0, 1, 5, -1]) }],
    [0.5, { dryRun: [choices.one(['All', 'Some'])] }],
    [
      0.5,
      choices.one<Json>(['{', 'null', { kind: 'Pod', apiVersion: 'v1' }, { unknown: 1 }, { gracePeriodSeconds: 'x' }]),
    ],
  ]);
  const isJob = example.collection.endsWith('/jobs');
  const query = choices.weighted([
    [8, isJob ? '?propagationPolicy=Background' : ''],
    [1, '?dryRun=All'],
    [1, '?gracePeriodSeconds=0'],
    [0.5, '?propagationPolicy=Background'],
    [0.3, '?gracePeriodSeconds=x'],
    [0.3, '?propagationPolicy=x'],
  ] as const);
  const release: Operation = {
    method: 'PATCH',
    path,
    headers: { 'content-type': PATCH_TYPES.merge },
    body: { metadata: { finalizers: null } },
  };
  return {
    method: 'DELETE',
    path: `${path}${query}`,
    ...(body !== undefined && { headers: JSON_TYPE, body }),
    writes: path,
    ...(choices.chance(0.5) && { before: [release] }),
  };
}

function removeAll(choices: Choices, { collection }: Example): Operation {
  const query = choices.one([
    ...[
      '?labelSelector=tier%3Dgold',
      '?labelSelector=app%3Dweb&limit=1',
      '?fieldSelector=metadata.name%3Da',
      '?dryRun=All',
    ],
    ...['?labelSelector=a%3D%3D%3Db', '?fieldSelector=x%3Dy'],
  ]);
  return { method: 'DELETE', path: `${collection}${query}` };
}
