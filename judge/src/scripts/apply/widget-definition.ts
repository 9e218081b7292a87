const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };
const named = (properties: object): object => ({ type: 'object', properties });

const spec = named({
  replicas: { type: 'integer', format: 'int32' },
  items: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name', 'port'],
    items: {
      type: 'object',
      required: ['name'],
      properties: {
        name: text,
        port: { type: 'integer', default: 80 },
        value: text,
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      },
    },
  },
  tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  numbers: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
  flat: { type: 'array', items: text },
  labels: texts,
  whole: { ...texts, 'x-kubernetes-map-type': 'atomic' },
  open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  nested: named({ a: text, b: { ...text, default: 'b' }, deep: named({ a: text }) }),
  note: { type: 'string', nullable: true },
  port: { 'x-kubernetes-int-or-string': true },
});

const status = named({
  phase: text,
  replicas: { type: 'integer' },
  conditions: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: { type: 'object', required: ['type'], properties: { type: text, status: text, reason: text } },
  },
});

const version = (name: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  },
  schema: { openAPIV3Schema: named({ spec, status }) },
});

/** Returns the definition of a kind with every type of list and map, in two versions. */
export function widgetDefinition(group: string): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [version('v1', true), version('v1beta1', false)],
    },
  };
}
