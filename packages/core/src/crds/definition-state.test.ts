import { describe, expect, it } from '@jest/globals';
import type { CrdManifest, DeepReadonly } from '@mcr/client';
import { checkServed } from './definition-state.ts';
import type { ServedSchema } from './crd-schema.ts';

function widgets(properties: Record<string, ServedSchema>): DeepReadonly<CrdManifest> {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties } },
        },
      ],
    },
  };
}

describe('checkServed', () => {
  it('KS-5: finds a missing field behind many fields that are only tighter', () => {
    const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
    const wanted = widgets(Object.fromEntries([...names, 'last'].map((name) => [name, { type: 'string' }])));
    const found = widgets(Object.fromEntries(names.map((name) => [name, { type: 'string', maxLength: 5 }])));
    expect(checkServed(wanted, found as Parameters<typeof checkServed>[1])).toEqual({
      type: 'refused',
      reason: expect.stringContaining('has no field last in version v1'),
    });
  });
});
