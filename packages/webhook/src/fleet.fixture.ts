import type { ObjectManifest } from '@mcr/envtest';

const size = { type: 'integer', minimum: 1 };

function version(name: string, properties: object, storage: boolean): object {
  return {
    name,
    served: true,
    storage,
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties, 'x-kubernetes-preserve-unknown-fields': true } },
      },
    },
  };
}

/** The kind of the tests, in two versions: the size is `size` in v1, and `dimensions.size` in v2. */
export const cartDefinition: ObjectManifest = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'carts.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { plural: 'carts', kind: 'Cart' },
    versions: [
      version('v1', { size, huge: { type: 'integer', format: 'int64' } }, true),
      version('v2', { dimensions: { type: 'object', properties: { size } } }, false),
    ],
  },
};
