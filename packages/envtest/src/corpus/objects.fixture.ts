/** A definition of a kind that keeps all fields. */
export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shapes.corpus.example.com' },
  spec: {
    group: 'corpus.example.com',
    names: { plural: 'shapes', singular: 'shape', kind: 'Shape', listKind: 'ShapeList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const TEXT = 'Grüße, 世界 🐢 <a href="x">&amp;</a> \u2028 \\ \t "quoted" \u0001\u007f';

/** Custom resources, some of them as JSON texts with field orders and numbers that JavaScript would not write. */
export const shapes: readonly string[] = [
  `{"spec":{"metadata":{"name":"inner","managedFields":[]},"items":[{"metadata":{}}],"object":{"type":"ADDED"}},
    "metadata":{"uid":"","labels":{"app":"a"},"name":"orders"},"kind":"Shape","apiVersion":"corpus.example.com/v1"}`,
  `{"apiVersion":"corpus.example.com/v1","kind":"Shape","metadata":{"name":"numbers"},"spec":{"large":9007199254740993,
    "largest":9223372036854775807,"smallest":-9223372036854775808,"float":1.5e10,"small":1e-7,"zero":-0.0}}`,
  JSON.stringify({
    apiVersion: 'corpus.example.com/v1',
    kind: 'Shape',
    metadata: { name: 'texts', annotations: { 'example.com/text': TEXT, 'example.com/empty': '' } },
    spec: { [TEXT]: TEXT, '': { '"': [[], {}, [[]], null, true, false] } },
    status: { long: 'x'.repeat(5_000), hash: Array.from({ length: 300 }, (_, index) => index * 7_919) },
  }),
  JSON.stringify({
    apiVersion: 'corpus.example.com/v1',
    kind: 'Shape',
    metadata: { name: 'nested', finalizers: ['corpus.example.com/keep'] },
    spec: JSON.parse(`${'{"a":['.repeat(60)}1${']}'.repeat(60)}`) as unknown,
  }),
];

export const configMaps: readonly object[] = Array.from({ length: 12 }, (_, index) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `settings-${index}`, labels: { index: `${index}` } },
  data: { text: TEXT.slice(0, 2 * index), 'file.json': JSON.stringify({ index, nested: { text: 'x' } }, null, 2) },
}));

/** @param uid uid of the ConfigMap that owns the Deployment. */
export function deployment(name: string, uid: string): object {
  const labels = { app: name };
  const env = [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }];
  const container = { name: 'main', image: 'registry.example.com/main:v1', args: ['--listen=:8080'], env };
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings-0', uid, controller: true };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels, ownerReferences: [owner] },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
  };
}
