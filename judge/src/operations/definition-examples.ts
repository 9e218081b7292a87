import type { JsonObject } from '../operation.ts';

const text = { type: 'string' };
const named = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

const spec = named(
  {
    color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    replicas: { type: 'integer', format: 'int32', minimum: 0, maximum: 10, default: 1 },
    ratio: { type: 'number', multipleOf: 0.5 },
    code: { type: 'string', pattern: '^[a-z]+$', minLength: 1, maxLength: 5 },
    when: { type: 'string', format: 'date-time' },
    wait: { type: 'string', format: 'duration' },
    bytes: { type: 'string', format: 'byte' },
    tags: { type: 'array', items: text, maxItems: 3, 'x-kubernetes-list-type': 'set' },
    flat: { type: 'array', items: { type: 'integer' }, minItems: 1 },
    items: {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'port'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { ...text, maxLength: 10 }, port: { type: 'integer', default: 80 }, value: text },
      },
    },
    labels: { type: 'object', additionalProperties: text, maxProperties: 3 },
    whole: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    nested: named({ a: text, b: { ...text, default: 'b' }, deep: named({ a: text }) }, { default: {} }),
    note: { type: 'string', nullable: true },
    port: { 'x-kubernetes-int-or-string': true },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    low: { type: 'integer' },
    high: { type: 'integer' },
    fixed: {
      type: 'string',
      maxLength: 20,
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }],
    },
    one: named({ a: text, b: text }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
  },
  {
    required: ['color'],
    'x-kubernetes-validations': [
      {
        rule: '!has(self.low) || !has(self.high) || self.low <= self.high',
        messageExpression: "self.low > 5 ? 'low is much too large' : 'low is above high'",
        reason: 'FieldValueInvalid',
        fieldPath: '.low',
      },
      { rule: '!has(self.items) || self.items.all(i, i.name != "forbidden")', message: 'no forbidden items' },
      { rule: '!has(self.tags) || !("a" in self.tags && "b" in self.tags)', reason: 'FieldValueForbidden' },
    ],
  },
);

const status = named({
  phase: text,
  replicas: { type: 'integer' },
  selector: text,
  conditions: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: { type: 'object', required: ['type', 'status'], properties: { type: text, status: text, reason: text } },
  },
});

const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};
const columns = [
  { name: 'Color', type: 'string', jsonPath: '.spec.color' },
  { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
  { name: 'Tags', type: 'string', jsonPath: '.spec.tags[*]', priority: 1 },
  { name: 'When', type: 'date', jsonPath: '.spec.when' },
];

/** A definition with two versions, subresources, columns, selectable fields, defaults, rules and every kind of list. */
export const widgets: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.judge.example.com' },
  spec: {
    group: 'judge.example.com',
    scope: 'Namespaced',
    names: {
      plural: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      listKind: 'WidgetList',
      shortNames: ['wd'],
      categories: ['all'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale },
        additionalPrinterColumns: columns,
        selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.replicas' }],
        schema: { openAPIV3Schema: named({ spec, status }, { required: ['spec'] }) },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: 'use v1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
} as unknown as JsonObject;

/** A definition of a cluster-scoped kind without subresources, which keeps unknown fields. */
export const gadgets: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.judge.example.com' },
  spec: {
    group: 'judge.example.com',
    scope: 'Cluster',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        name: 'v2alpha1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: named({
            spec: named(
              { size: { type: 'integer' }, parts: { type: 'array', items: named({ id: text }, { required: ['id'] }) } },
              { 'x-kubernetes-preserve-unknown-fields': true },
            ),
          }),
        },
      },
    ],
  },
} as unknown as JsonObject;

/** Valid widgets. */
export const widgetObjects: readonly JsonObject[] = [
  { color: 'red' },
  { color: 'blue', replicas: 3, code: 'abc', when: '2026-01-01T00:00:00Z', tags: ['a', 'c'], flat: [1, 2] },
  {
    color: 'red',
    items: [
      { name: 'one', value: 'x' },
      { name: 'two', port: 81 },
    ],
    labels: { a: 'x' },
    whole: { a: 'x' },
  },
  {
    color: 'red',
    open: { a: [1, { b: null }] },
    nested: { deep: { a: 'x' } },
    note: null,
    port: 'http',
    low: 1,
    high: 2,
  },
  {
    color: 'blue',
    fixed: 'x',
    template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 'b' } }, spec: { a: 1 } },
    ratio: 1.5,
    bytes: 'eA==',
    wait: '5s',
    one: { a: 'x' },
  },
].map((fields) => ({ apiVersion: 'judge.example.com/v1', kind: 'Widget', spec: fields }));

/** Widgets that the server refuses. */
export const invalidWidgets: readonly JsonObject[] = [
  { color: 'green' },
  { low: 3, high: 2, color: 'red' },
  { color: 'red', items: [{ name: 'forbidden' }] },
  { color: 'red', tags: ['a', 'b'] },
  { color: 'red', tags: ['a', 'a'] },
  { color: 'red', items: [{ name: 'x' }, { name: 'x' }] },
  { color: 'red', one: { a: 'x', b: 'x' } },
  { color: 'red', flat: [] },
  { color: 'red', template: { metadata: { name: 'A b' } } },
  { color: 'red', wait: 'long', bytes: '!', ratio: 0.3 },
].map((fields) => ({ apiVersion: 'judge.example.com/v1', kind: 'Widget', spec: fields }));

export const gadgetObjects: readonly JsonObject[] = [
  { size: 1 },
  { size: 2, parts: [{ id: 'x' }], other: { a: 1 } },
].map((fields) => ({
  apiVersion: 'judge.example.com/v2alpha1',
  kind: 'Gadget',
  spec: fields,
}));
