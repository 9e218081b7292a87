import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../kinds/builtin.ts';
import { dropFields, keepFields } from './field-transforms.ts';

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'a',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: { 'example.com/long': 'x', short: 'y' },
  },
  spec: {
    nodeName: 'n',
    containers: [
      { name: 'c', image: 'i' },
      { name: 'd', image: 'j' },
    ],
  },
};
const identity = { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1' };

describe('keepFields', () => {
  it('keeps the given fields and the identity of the object', () => {
    expect(keepFields('spec.nodeName', 'status.phase')(pod)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: identity,
      spec: { nodeName: 'n' },
    });
  });

  it('applies to each element of a list, and accepts names with dots as an array', () => {
    expect(keepFields('spec.containers.image', ['metadata', 'annotations', 'example.com/long'])(pod)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...identity, annotations: { 'example.com/long': 'x' } },
      spec: { containers: [{ image: 'i' }, { image: 'j' }] },
    });
  });

  it('a whole field takes precedence over its parts, in any order', () => {
    for (const paths of [
      ['spec', 'spec.nodeName'],
      ['spec.nodeName', 'spec'],
    ]) {
      expect(keepFields<Pod>(...paths)(pod).spec).toEqual(pod.spec);
    }
  });
});

describe('dropFields', () => {
  it('removes the given fields, and does not change the original', () => {
    const before = structuredClone(pod);
    const { metadata, spec } = dropFields<Pod>('spec.containers.image', [
      'metadata',
      'annotations',
      'example.com/long',
    ])(pod);
    expect(metadata).toEqual({ ...pod.metadata, annotations: { short: 'y' } });
    expect(spec).toEqual({ nodeName: 'n', containers: [{ name: 'c' }, { name: 'd' }] });
    expect(pod).toEqual(before);
  });

  it.each(['kind', 'metadata', 'metadata.uid'])('refuses to remove a field that the cache requires: %s', (path) => {
    expect(() => dropFields(path)).toThrow('a cache requires');
  });
});

describe.each<[string, (...paths: never[]) => unknown]>([
  ['keepFields', keepFields],
  ['dropFields', dropFields],
])('%s', (name, transform) => {
  it.each<[unknown, string]>([
    ['', 'an empty string'],
    ['.spec', 'a path with a leading dot'],
    ['spec..nodeName', 'a path with an empty name'],
    ['spec.', 'a path with an empty name'],
    ['spec.containers[*].image', 'a path with "[": a path applies to each element of a list'],
    [[], 'an empty array'],
    [['spec', ''], 'a path with an empty name'],
    [['spec', 1], 'a path with a number as a name'],
    [undefined, 'undefined'],
    [() => 1, 'a function'],
  ])('refuses a malformed path: %p', (path, found) => {
    const wrong = () => transform('spec' as never, path as never);
    expect(wrong).toThrow(TypeError);
    expect(wrong).toThrow(
      `${name}: path 2: expected a path such as "spec.nodeName" or ["spec", "nodeName"], found ${found}`,
    );
  });
});
