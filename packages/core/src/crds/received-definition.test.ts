import { describe, expect, it } from '@jest/globals';
import type { CustomResourceDefinition } from '@mcr/client';
import { ApiError } from '@mcr/client';
import { checkReceived, readDefinition } from './received-definition.ts';

const name = 'widgets.example.com';
const metadata = { name, resourceVersion: '1' };
const spec = {
  group: 'example.com',
  names: { kind: 'Widget', plural: 'widgets' },
  scope: 'Namespaced',
  versions: [{ name: 'v1', served: true, storage: true }],
};

describe('the CRD that a cluster returns', () => {
  it('KS-5: is accepted with null for lists that are empty', () => {
    const status = { conditions: null, storedVersions: null };
    const definition = { metadata, spec, status } as unknown as CustomResourceDefinition;
    expect(() => checkReceived(name, definition)).not.toThrow();
  });

  it.each<[string, object, string]>([
    ['no spec', { metadata }, 'spec: expected an object, found undefined'],
    ['no name', { metadata: {}, spec }, 'metadata.name: expected a string, found undefined'],
    [
      'a null version',
      { metadata, spec: { ...spec, versions: [null] } },
      'spec.versions[0]: expected an object, found null',
    ],
    [
      'versions that are not a list',
      { metadata, spec: { ...spec, versions: { length: 3 } } },
      'spec.versions: expected an array, found an object',
    ],
    ['no names', { metadata, spec: { ...spec, names: null } }, 'spec.names: expected an object, found null'],
    [
      'a schema that is a text',
      { metadata, spec: { ...spec, versions: [{ name: 'v1', schema: { openAPIV3Schema: 'x' } }] } },
      'spec.versions[0].schema.openAPIV3Schema: expected an object, found a string',
    ],
    [
      'stored versions that are not a list',
      { metadata, spec, status: { storedVersions: 'v1' } },
      'status.storedVersions: expected an array, found a string',
    ],
    [
      'another name',
      { metadata: { name: 'others.example.com' }, spec },
      `metadata.name: expected ${name}, found others.example.com`,
    ],
  ])('KS-5: is refused with %s', async (_, definition, problem) => {
    const get = () => Promise.resolve(definition as never);
    await expect(readDefinition({ get }, name, new AbortController().signal)).rejects.toThrow(
      `CRD ${name}: the response of the cluster is not this CRD: ${problem}: check which server`,
    );
  });

  it('KS-5: is refused with at most 1 KiB, if its name is long', () => {
    const definition = { metadata: { name: 'x'.repeat(100_000) }, spec } as unknown as CustomResourceDefinition;
    expect(() => checkReceived(name, definition)).toThrow(/^.{1,1024}$/u);
  });

  it('KS-5: keeps the error of the API server', async () => {
    const error = new ApiError({ code: 403 });
    const get = () => Promise.reject(error);
    await expect(readDefinition({ get }, name, new AbortController().signal)).rejects.toBe(error);
  });
});
