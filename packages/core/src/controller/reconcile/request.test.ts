import { describe, expect, it } from '@jest/globals';
import { requestKey } from './request.ts';

describe('request', () => {
  it('RC-1: includes the cluster in its text, except for the local cluster', () => {
    expect(requestKey({ clusterName: 'eu-1', namespace: 'shop', name: 'cart' })).toBe('cluster://eu-1/shop/cart');
    expect(requestKey({ clusterName: '', namespace: 'shop', name: 'cart' })).toBe('shop/cart');
  });

  it('RC-1: has no namespace part for a cluster-scoped object', () => {
    expect(requestKey({ clusterName: 'eu-1', namespace: '', name: 'node-1' })).toBe('cluster://eu-1/node-1');
    expect(requestKey({ clusterName: '', namespace: '', name: 'node-1' })).toBe('node-1');
  });

  it('SH-10: has the uid in its text, because an object that is created again is another one', () => {
    expect(requestKey({ clusterName: '', namespace: 'shop', name: 'cart', uid: '7' })).toBe('shop/cart (uid 7)');
  });
});
