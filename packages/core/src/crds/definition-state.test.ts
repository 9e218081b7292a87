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

  it('KS-5: reads only the fields of the schema that a cluster serves: other keywords have any value and any size', () => {
    const items = { type: 'object', properties: { name: { type: 'string' } } };
    const wanted = widgets({ size: { type: 'string' }, ports: { type: 'array', items } });
    const served = {
      required: 5,
      properties: { size: { enum: 7 }, ports: { items: { properties: { name: null } } } },
      get 'x-kubernetes-validations'(): never {
        throw new Error('the rules were read');
      },
    };
    const found = { ...widgets({}) };
    Object.assign(found.spec.versions[0] ?? {}, { schema: { openAPIV3Schema: served } });
    expect(checkServed(wanted, found as Parameters<typeof checkServed>[1])).toEqual({
      type: 'refused',
      reason: expect.stringContaining('has no field ports[].name in version v1'),
    });
  });

  it('KS-5: shortens the text of a cluster', () => {
    const wanted = widgets({});
    const conditions = [{ type: 'NamesAccepted', status: 'False', message: 'x'.repeat(100_000) }];
    const found = { ...wanted, status: { conditions } };
    expect(checkServed(wanted, found as unknown as Parameters<typeof checkServed>[1])).toEqual({
      type: 'refused',
      reason: expect.stringMatching(/^CRD widgets\.example\.com: names not accepted: x{900,1000}…$/),
    });
  });
});
