import { describe, expect, it } from '@jest/globals';
import { coerceEmbedded } from './coerce-embedded.ts';

const schema = {
  type: 'object',
  properties: {
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
} as const;

/** Returns an object with an embedded Pod. */
function withMetadata(metadata: object): object {
  return { template: { apiVersion: 'v1', kind: 'Pod', metadata } };
}

// The expected paths and messages are those of kube-apiserver v1.35.
describe('metadata of embedded resources', () => {
  it('K-15: reports unknown fields, empty ones too, and removes them', () => {
    const object = withMetadata({ name: 'x', '': '', none: null, empty: {}, zero: 0, labels: {} });
    expect(coerceEmbedded(schema, object).toSorted()).toEqual([
      'template.metadata.',
      'template.metadata.empty',
      'template.metadata.none',
      'template.metadata.zero',
    ]);
    expect(object).toEqual(withMetadata({ name: 'x' }));
  });

  it('K-19: refuses a value of a wrong type with the metadata as it was sent', () => {
    const object = withMetadata({ unknown: 1, annotations: {}, labels: { a: 5 } });
    expect(() => coerceEmbedded(schema, object)).toThrow(
      'template.metadata: Invalid value: {"annotations":{},"labels":{"a":5},"unknown":1}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
  });
});
