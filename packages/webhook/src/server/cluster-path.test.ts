import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clusterPath, splitClusterPath } from './cluster-path.ts';

describe('clusterPath', () => {
  it('WH-4: names any cluster in a path that API servers do not change', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60, unit: 'grapheme' }), (cluster) => {
        fc.pre(cluster.isWellFormed());
        const path = clusterPath(cluster, '/convert');
        expect(splitClusterPath(path)).toEqual({ cluster, path: '/convert' });
        expect(new URL(path, 'https://a').pathname).toBe(path);
      }),
      { seed: 1 },
    );
    expect(clusterPath('fleet/eu-1', '/convert')).toBe('/clusters/fleet~2feu-1/convert');
    expect(clusterPath('', '/convert')).toBe('/convert');
  });

  it.each([
    '/clusters/',
    '/clusters/a',
    '/clusters//convert',
    '/clusters/a.b/convert',
    '/clusters/~ff/convert',
    '/clusters/~2/convert',
  ])('WH-4: refuses %s', (path) => {
    expect(splitClusterPath(path)).toBeUndefined();
  });
});
