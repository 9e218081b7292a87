import type { Choices } from '../choices.ts';
import { NAMESPACE, type Example } from '../examples.ts';
import { mutate } from '../mutation.ts';
import type { JsonObject, Operation } from '../operation.ts';
import { JSON_TYPE } from '../operation.ts';
import { onKind } from './built-in.ts';
import { gadgetObjects, gadgets, invalidWidgets, widgetObjects, widgets } from './definition-examples.ts';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const WIDGETS = `/apis/judge.example.com/v1/namespaces/${NAMESPACE}/widgets`;

/** Custom kinds that exist during the whole run. */
export const customKinds: readonly { readonly definition: JsonObject; readonly served: readonly string[] }[] = [
  { definition: widgets, served: [WIDGETS, WIDGETS.replace('/v1/', '/v1beta1/')] },
  { definition: gadgets, served: ['/apis/judge.example.com/v2alpha1/gadgets'] },
];

const asVersion = (objects: readonly JsonObject[], apiVersion: string): readonly JsonObject[] =>
  objects.map((object) => ({ ...object, apiVersion }));

const examples: readonly Example[] = [
  { collection: WIDGETS, weight: 6, objects: widgetObjects, invalid: invalidWidgets },
  {
    collection: WIDGETS.replace('/v1/', '/v1beta1/'),
    weight: 1,
    objects: asVersion(widgetObjects, 'judge.example.com/v1beta1'),
    invalid: asVersion(invalidWidgets, 'judge.example.com/v1beta1'),
  },
  { collection: '/apis/judge.example.com/v2alpha1/gadgets', weight: 2, objects: gadgetObjects, invalid: [] },
];

/** Returns one operation on a custom kind. */
export function onCustom(choices: Choices): Operation {
  return onKind(choices, choices.weighted(examples.map((example) => [example.weight, example] as const)));
}

/** Rules, and whether they compile, cost too much or have a wrong type is for the server to say. */
const RULES: readonly string[] = [
  ...[
    'self.replicas > 0',
    'self.replicas',
    'self.x',
    'has(self.replicas)',
    "self.color == 'red'",
    'self.',
    '1 + "a"',
    '',
  ],
  ...[
    'self.tags.all(t, t.startsWith("a"))',
    'self.items.exists(i, i.name == "x")',
    'oldSelf.replicas == self.replicas',
  ],
  ...['self.labels.all(k, self.labels[k] == k)', 'self.items.map(i, i.name).isSorted()', 'self.code.matches("[")'],
  ...['self.when < timestamp("2030-01-01T00:00:00Z")', 'self.flat.sum() < 10', 'quantity(self.code).isGreaterThan(1)'],
  ...[
    'isURL(self.code)',
    'self.open.a == 1',
    'dyn(self).x == 1',
    'self.?replicas.orValue(1) > 0',
    'self.code in self.tags',
  ],
  ...['self.items.all(i, self.items.all(j, self.items.all(k, i.name != j.name || k.name == "x")))', 'true'],
];

/** Schemas of one field, most of them wrong. */
const SCHEMAS: readonly JsonObject[] = [
  {},
  { type: 'x' },
  { type: 'string', properties: { a: { type: 'string' } } },
  { type: 'object', additionalProperties: true },
  { type: 'object', additionalProperties: false },
  { type: 'object', additionalProperties: { type: 'string' }, properties: { a: { type: 'string' } } },
  { type: 'array' },
  { type: 'array', items: [{ type: 'string' }] },
  { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'x' },
  { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'map' },
  { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
  { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' },
  { type: 'string', 'x-kubernetes-map-type': 'granular' },
  { type: 'object', 'x-kubernetes-map-type': 'x' },
  { type: 'string', default: 5 },
  { type: 'integer', default: 5, maximum: 3 },
  { type: 'string', enum: ['a', 'b'], default: 'c' },
  { type: 'string', pattern: '[' },
  { type: 'string', pattern: '(?=x)' },
  { type: 'string', format: 'x' },
  { type: 'string', nullable: true, default: null },
  { type: 'string', uniqueItems: true },
  { $ref: '#/x' },
  { type: 'string', deprecated: true },
  { 'x-kubernetes-int-or-string': true, type: 'string' },
  { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  { 'x-kubernetes-preserve-unknown-fields': false, type: 'object' },
  { 'x-kubernetes-preserve-unknown-fields': true },
  { 'x-kubernetes-embedded-resource': true, type: 'object' },
  { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { metadata: { type: 'string' } } },
  { type: 'object', allOf: [{ properties: { a: { type: 'string' } } }] },
  { type: 'object', anyOf: [{ required: ['a'] }], properties: { a: { type: 'string' } } },
  { type: 'object', not: { type: 'object' } },
  { type: 'object', properties: { metadata: { type: 'object', properties: { name: { type: 'integer' } } } } },
  { type: 'string', minLength: -1, maxLength: 'x' },
  { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', optionalOldSelf: true }] },
  { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.size() > 1', message: ' ', reason: 'x' }] },
  { type: 'string', 'x-kubernetes-validations': [{ rule: 'true', messageExpression: '1', fieldPath: '.a' }] },
];

/** Returns a request that creates or changes a CustomResourceDefinition. */
export function onDefinition(choices: Choices): Operation {
  const example = choices.one([widgets, widgets, gadgets]);
  const suffix = choices.one(['x', 'y', 'z']);
  const valid = renamed(example, suffix);
  const { name } = valid['metadata'] as { readonly name: string };
  const path = `${DEFINITIONS}/${name}`;
  const object = choices.weighted<() => JsonObject>([
    [6, () => mutate(choices, valid)],
    [1, () => mutate(choices, mutate(choices, valid))],
    [4, () => withField(valid, choices.one(SCHEMAS))],
    [3, () => withRule(valid, choices.one(RULES))],
    [1, () => mutate(choices, valid, true)],
    [1, () => valid],
  ])();
  // The kind itself is never used: when it is served depends on the time.
  return choices.weighted<() => Operation>([
    [8, () => ({ method: 'POST', path: `${DEFINITIONS}?dryRun=All`, headers: JSON_TYPE, body: object })],
    [
      1,
      () => ({
        method: 'PUT',
        path: `${DEFINITIONS}/${example === widgets ? 'widgets' : 'gadgets'}.judge.example.com?dryRun=All`,
        headers: JSON_TYPE,
        changed: {
          of: `${DEFINITIONS}/${example === widgets ? 'widgets' : 'gadgets'}.judge.example.com`,
          spec: object['spec'] ?? null,
        },
        before: [
          { method: 'GET', path: `${DEFINITIONS}/${example === widgets ? 'widgets' : 'gadgets'}.judge.example.com` },
        ],
      }),
    ],
    [0.5, () => ({ method: 'GET', path })],
    [0.5, () => ({ method: 'GET', path: `${DEFINITIONS}?limit=1` })],
  ])();
}

function renamed(definition: JsonObject, suffix: string): JsonObject {
  const text = JSON.stringify(definition).replaceAll('judge.example.com', `${suffix}.example.com`);
  return JSON.parse(text) as JsonObject;
}

function inSpec(definition: JsonObject, change: (spec: JsonObject) => JsonObject): JsonObject {
  const copy = structuredClone(definition) as unknown as {
    spec: { versions: [{ schema: { openAPIV3Schema: { properties: { spec: JsonObject } } } }] };
  };
  const { properties } = copy.spec.versions[0].schema.openAPIV3Schema;
  properties.spec = change(properties.spec);
  return copy;
}

function withField(definition: JsonObject, schema: JsonObject): JsonObject {
  return inSpec(definition, (spec) => ({
    ...spec,
    properties: { ...(spec['properties'] as JsonObject), added: schema },
  }));
}

function withRule(definition: JsonObject, rule: string): JsonObject {
  return inSpec(definition, (spec) => ({ ...spec, 'x-kubernetes-validations': [{ rule }] }));
}
