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
    expect(service).toEqual(ports({ ports: [{ port: 80 }, { port: 81 }] }));
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
      metadata: { finalizers: ['x', 'y'] },
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

  it('K-12: retains only the keys in the patch', () => {
    const deployment = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    expect(apply(deployment, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } })).toEqual({
      spec: { strategy: { type: 'Recreate' } },
    });
  });
});
