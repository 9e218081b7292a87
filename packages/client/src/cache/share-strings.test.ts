import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kinds/object.ts';
import { shareStrings } from './share-strings.ts';

describe('shareStrings', () => {
  const pod = (index: number) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${index}`,
      uid: `${index}`.padStart(36, '0'),
      resourceVersion: '1',
      labels: { app: 'a-shop-of-carts' },
    },
    spec: {
      containers: [
        { name: 'main', image: 'registry.example.com/shop/cart:v1.2.3', args: ['--listen-on-every-address'] },
      ],
      nodeName: null,
      priority: 0,
    },
  });
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heapUsed = () => {
    for (let i = 0; i < 3; i++) collect();
    return process.memoryUsage().heapUsed;
  };

  it('P-5: changes nothing of an object but where its texts are', () => {
    const share = shareStrings<KubernetesObject>();
    for (let index = 0; index < 3; index++) {
      const text = JSON.stringify(pod(index));
      expect(JSON.stringify(share(JSON.parse(text) as KubernetesObject))).toBe(text);
    }
  });

  it('P-5: goes on when there are more texts than it remembers', () => {
    const share = shareStrings<KubernetesObject>();
    for (let index = 0; index < 25_000; index++) {
      const object = share(JSON.parse(JSON.stringify(pod(index))) as KubernetesObject);
      expect(object.metadata.uid).toBe(pod(index).metadata.uid);
    }
  });

  it('P-5: takes less memory', () => {
    const share = shareStrings<KubernetesObject>();
    const texts = Array.from({ length: 5_000 }, (_, index) => JSON.stringify(pod(index)));
    const before = heapUsed();
    const plain = texts.map((text) => JSON.parse(text) as KubernetesObject);
    const between = heapUsed();
    const sharing = texts.map((text) => share(JSON.parse(text) as KubernetesObject));
    const after = heapUsed();
    expect(after - between).toBeLessThan(0.95 * (between - before));
    expect(plain.length + sharing.length).toBe(10_000);
  });
});
