import { describe, expect, it } from '@jest/globals';
import { shareStrings } from './share-strings.ts';

describe('shareStrings', () => {
  const pod = (index: number) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${index}`, uid: `${index}`.padStart(36, '0'), labels: { app: 'a-shop-of-carts' } },
    spec: {
      containers: [{ name: 'main', image: 'registry.example.com/shop/cart:v1.2.3', args: ['--listen-everywhere'] }],
      nodeName: null,
      priority: 0,
    },
  });
  const parsed = (index: number) => JSON.parse(JSON.stringify(pod(index))) as object;

  it('P-5: changes only the identity of strings', () => {
    const share = shareStrings();
    for (let index = 0; index < 3; index++) {
      const object = parsed(index);
      share(object);
      expect(JSON.stringify(object)).toBe(JSON.stringify(pod(index)));
    }
  });

  it('P-5: continues when there are more strings than it remembers', () => {
    const share = shareStrings();
    for (let index = 0; index < 25_000; index++) {
      const object = parsed(index);
      share(object);
      expect(object).toMatchObject({ metadata: { uid: pod(index).metadata.uid } });
    }
  });

  it('S-6: accepts objects nested deeper than the call stack', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}"the same long text"${'}'.repeat(100_000)}`) as object;
    expect(() => shareStrings()(deep)).not.toThrow();
  });
});
