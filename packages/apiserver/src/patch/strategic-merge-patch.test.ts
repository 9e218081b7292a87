import { describe, expect, it } from '@jest/globals';
import { builtInSchema } from '../schema/built-in-schema.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

const apply = (target: unknown, patch: unknown, kind = 'Pod'): unknown =>
  strategicMergePatch(target, patch, builtInSchema(kind));

const pod = {
  metadata: { labels: { a: '1', b: '2' }, finalizers: ['x'] },
  spec: {
    containers: [
      { name: 'one', image: 'one:1', ports: [{ containerPort: 80 }], args: ['a', 'b'] },
      { name: 'two', image: 'two:1' },
    ],
    tolerations: [{ key: 'old' }],
  },
};

const containers = (patch: unknown): unknown => {
  const patched = apply(pod, { spec: { containers: patch } }) as typeof pod;
  return patched.spec.containers;
};

describe('strategic merge patch', () => {
  it('K-12: merges objects, and removes fields with null', () => {
    expect(apply(pod, { metadata: { labels: { a: null, c: '3' } } })).toMatchObject({
      metadata: { labels: { b: '2', c: '3' } },
      spec: pod.spec,
    });
  });

  it('K-12: merges a list of objects by its key', () => {
    expect(
      containers([
        { name: 'two', image: 'two:2' },
        { name: 'three', image: 'three:1' },
      ]),
    ).toEqual([pod.spec.containers[0], { name: 'two', image: 'two:2' }, { name: 'three', image: 'three:1' }]);
    expect(
      containers([{ name: 'one', ports: [{ containerPort: 80, protocol: 'TCP' }, { containerPort: 443 }] }]),
    ).toMatchObject([{ ports: [{ containerPort: 80, protocol: 'TCP' }, { containerPort: 443 }] }, {}]);
  });

  it('K-12: replaces a list without a key', () => {
    expect(containers([{ name: 'one', args: ['c'] }])).toMatchObject([{ args: ['c'] }, {}]);
    expect(apply(pod, { spec: { tolerations: [{ key: 'new' }] } })).toMatchObject({
      spec: { tolerations: [{ key: 'new' }] },
    });
  });

  it('K-12: takes the type of a list from its kind, not from its name', () => {
    const ports = (spec: object): object => ({ spec });
    const service = apply(ports({ ports: [{ port: 80 }] }), ports({ ports: [{ port: 81 }] }), 'Service');
    expect(service).toEqual(ports({ ports: [{ port: 81 }, { port: 80 }] }));
    const rules = (port: number): object => ports({ ingress: [{ ports: [{ port }] }] });
    expect(apply(rules(80), rules(81), 'NetworkPolicy')).toEqual(rules(81));
  });

  it('K-12: supports $patch in items and in objects', () => {
    expect(containers([{ name: 'one', $patch: 'delete' }])).toEqual([{ name: 'two', image: 'two:1' }]);
    expect(containers([{ $patch: 'replace' }, { name: 'three' }])).toEqual([{ name: 'three' }]);
    const replaced = apply(pod, { metadata: { labels: { $patch: 'replace', c: '3' } } });
    expect(replaced).toMatchObject({ metadata: { finalizers: ['x'] } });
    expect((replaced as typeof pod).metadata.labels).toEqual({ c: '3' });
  });

  it('K-12: merges sets, and removes values from them', () => {
    expect(apply(pod, { metadata: { finalizers: ['y', 'x'] } })).toMatchObject({
      metadata: { finalizers: ['y', 'x'] },
    });
    expect(apply(pod, { metadata: { '$deleteFromPrimitiveList/finalizers': ['x'] } })).toMatchObject({
      metadata: { finalizers: [] },
    });
  });

  it('K-12: applies the order in the patch', () => {
    const patch = {
      spec: {
        '$setElementOrder/containers': [{ name: 'two' }, { name: 'one' }],
        containers: [{ name: 'one', image: 'one:2' }],
      },
    };
    const patched = apply(pod, patch) as typeof pod;
    expect(patched.spec.containers.map(({ name, image }) => `${name} ${image}`)).toEqual(['two two:1', 'one one:2']);
    expect(patched.spec).not.toHaveProperty('$setElementOrder/containers');
  });

  it.each([
    ['abc', 'z', '', 'zabc'],
    ['abc', 'ca', '', 'bca'],
    ['abc', 'cza', '', 'bcza'],
    ['abc', 'zb', '', 'zabc'],
    ['abc', '', 'ca', 'bca'],
    ['abc', '', 'b', 'abc'],
    ['abcd', 'z', 'dzb', 'acdzb'],
  ])('K-12: orders %s with the items %s and the order %s as kube-apiserver does', (before, items, order, after) => {
    const named = (letters: string) => Array.from(letters).map((name) => ({ name }));
    const patch = {
      ...(items !== '' && { containers: named(items) }),
      ...(order !== '' && { '$setElementOrder/containers': named(order) }),
    };
    expect(apply({ spec: { containers: named(before) } }, { spec: patch })).toEqual({
      spec: { containers: named(after) },
    });
    const finalizers = {
      ...(items !== '' && { finalizers: Array.from(items) }),
      ...(order !== '' && { '$setElementOrder/finalizers': Array.from(order) }),
    };
    expect(apply({ metadata: { finalizers: Array.from(before) } }, { metadata: finalizers })).toEqual({
      metadata: { finalizers: Array.from(after) },
    });
  });

  it.each<[string, object, string]>([
    [
      'a list in another order',
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }], containers: [{ name: 'a' }, { name: 'b' }] },
      "The order in patch list:\n[map[name:a] map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:b] map[name:a]]\n",
    ],
    [
      'an item that the order does not have',
      { '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'a', image: 'a' }] },
      "The order in patch list:\n[map[image:a name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
    ],
    [
      'an order that is not a list',
      { '$setElementOrder/containers': 'a' },
      'expected a []interface {}, but received a string',
    ],
    [
      'a list that is not one',
      { '$setElementOrder/containers': [{ name: 'b' }], containers: 'b' },
      'expected a []interface {}, but received a string',
    ],
  ])('K-12: refuses %s with the error of kube-apiserver', (_, spec, message) => {
    expect(() => apply({ spec: { containers: [{ name: 'a' }] } }, { spec })).toThrow(
      expect.objectContaining({ code: 500, message }),
    );
    const kept = { '$setElementOrder/containers': [{ name: 'one' }], containers: [{ name: 'two', $patch: 'delete' }] };
    expect(apply(pod, { spec: kept })).toMatchObject({ spec: { containers: [{ name: 'one' }] } });
  });

  it.each<[string, object, number, string]>([
    [
      'an item of another type',
      { containers: ['x'] },
      500,
      'list element types are not identical: [[map[name:a]] [x]]',
    ],
    [
      'a null among objects',
      { containers: [{ name: 'a' }, null] },
      500,
      'list element types are not identical: [[map[name:a]] [map[name:a] <nil>]]',
    ],
    [
      'a list that merges',
      { containers: [{ name: 'a', $patch: 'merge' }] },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    ['an object that merges', { $patch: 'merge' }, 500, 'unknown patch type: merge in map: map[$patch:merge]'],
    ['a directive that is not a text', { $patch: 1 }, 500, 'unknown patch type: %!s(int64=1) in map: map[$patch:1]'],
    [
      'a deletion without a key',
      { containers: [{ $patch: 'delete' }] },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    ['an order of texts', { '$setElementOrder/containers': ['a'] }, 500, 'value for key 0 is not a map'],
    [
      'an order of a field that does not exist',
      { '$setElementOrder/x': [] },
      500,
      'unable to find api field in struct PodSpec for the json field "x"',
    ],
    ['retained keys that are not a list', { $retainKeys: 'x' }, 400, 'invalid patch format of retainKeys'],
    ['a field that is not retained', { $retainKeys: [], nodeName: 'x' }, 400, 'invalid patch format of retainKeys'],
  ])('K-12: refuses %s with the error of kube-apiserver', (_, spec, code, message) => {
    expect(() => apply({ spec: { containers: [{ name: 'a' }] } }, { spec })).toThrow(
      expect.objectContaining({ code, message }),
    );
  });

  it('K-12: deletes all items with a key before it adds others', () => {
    const pod = { spec: { containers: [{ name: 'a', image: 'x' }, { name: 'a' }, { name: 'b' }] } };
    const containers = [
      { name: 'a', image: 'y' },
      { name: 'a', $patch: 'delete' },
    ];
    expect(apply(pod, { spec: { containers } })).toEqual({
      spec: { containers: [{ name: 'a', image: 'y' }, { name: 'b' }] },
    });
  });

  it('K-12: retains only the keys in the patch', () => {
    const deployment = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    expect(apply(deployment, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } })).toEqual({
      spec: { strategy: { type: 'Recreate' } },
    });
  });
});
