import type { Session } from '../session.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/judge/deployments';
const labels = { app: 'web' };

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'patched', labels, finalizers: ['example.com/a'] },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          { name: 'a', image: 'i', env: [{ name: 'E', value: 'v' }] },
          { name: 'b', image: 'i' },
        ],
      },
    },
  },
};

const pod = (spec: unknown): object => ({ spec: { template: { spec } } });
const containers = (...list: readonly unknown[]): object => pod({ containers: list });
const metadata = (fields: object): object => ({ metadata: fields });

/** Strategic merge patches with values of a wrong type, and with every directive in the wrong place. */
const PATCHES: readonly unknown[] = [
  ...['x', null, 1, true, ['x'], []].map((item) => containers(item)),
  containers({}, 'x'),
  containers({ name: 'a', image: 'x' }, null),
  containers({ name: 'a', env: ['x'] }),
  containers({ name: 'b', env: ['x'] }),
  containers({ name: 'b', env: [['x']] }),
  containers({ image: 'x' }),
  containers({ name: 'a', $patch: 'merge' }),
  containers({ name: 'a', $patch: 'x' }),
  containers({ name: 'a', $patch: 1 }),
  containers({ $patch: 'delete' }),
  containers({ name: 'b', $patch: 'delete' }),
  containers({ $patch: 'replace' }, { name: 'z', image: 'i' }),
  containers({ $patch: 'replace' }, { image: 'i' }),
  containers({ name: 'a', image: 'q' }, { name: 'a', $patch: 'delete' }),
  containers({ name: 'n', image: 'q', command: null }, { name: 'n', command: ['x'] }),
  containers({ name: 3, image: 'q' }),
  containers({ name: 'a', image: 3.5 }),
  pod({ '$setElementOrder/containers': 'x' }),
  pod({ '$setElementOrder/containers': ['x'] }),
  pod({ '$setElementOrder/containers': [{ x: 'b' }] }),
  pod({ '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] }),
  pod({ '$setElementOrder/containers': [{ name: 'b' }], containers: 'x' }),
  pod({ '$setElementOrder/nodeName': ['x'] }),
  pod({ '$setElementOrder/x': ['x'] }),
  pod({ $retainKeys: 'x' }),
  pod({ $retainKeys: ['containers'], nodeName: 'x' }),
  pod({ $patch: 'x' }),
  pod({ $patch: null }),
  pod({ tolerations: ['x'] }),
  pod('x'),
  { $patch: 'replace', spec: 'x' },
  pod({ $patch: 'replace', containers: 'x' }),
  pod({ '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'a' }], tolerations: 'x' }),
  pod({ $retainKeys: ['tolerations'], tolerations: 'x' }),
  pod([]),
  pod({ containers: {} }),
  { spec: { replicas: 'x' } },
  { spec: { paused: 1 } },
  { $patch: 'merge' },
  metadata({ labels: { $patch: 'merge', c: 'd' } }),
  metadata({ labels: 3 }),
  metadata({ labels: { b: true } }),
  ...[1, null, {}, ['x']].map((item) => metadata({ finalizers: [item] })),
  metadata({ finalizers: 'x' }),
  metadata({ ownerReferences: ['x'] }),
  ...['x', [1], [{}], ['example.com/a']].map((list) => metadata({ '$deleteFromPrimitiveList/finalizers': list })),
];

/** Sends strategic merge patches, each of the same object. */
export async function strategicPatches(session: Session): Promise<void> {
  await session.post(DEPLOYMENTS, deployment);
  for (const patch of PATCHES) {
    await session.patch('strategic', `${DEPLOYMENTS}/patched?dryRun=All&fieldManager=one`, patch);
  }
}
