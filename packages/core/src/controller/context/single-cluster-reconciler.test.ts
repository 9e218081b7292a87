import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { ReconcileContext } from '../reconcile/reconciler.ts';
import { clusterFromContext, withCluster } from '../../fleet/multicluster/cluster-context.ts';
import { reconcilerWithClusterInContext } from './single-cluster-reconciler.ts';

describe('cluster in context', () => {
  it('RC-7: is the cluster of the request, across awaits and timers, never that of a concurrent one', async () => {
    const seen: string[] = [];
    const reconciler = reconcilerWithClusterInContext(async ({ namespace, name }) => {
      for (let step = 0; step < 3; step++) {
        seen.push(`${clusterFromContext()} ${namespace}/${name}`);
        await Promise.resolve();
        await delay(0);
      }
    });
    const context = {} as ReconcileContext;
    await Promise.all(
      ['eu-1', 'us-1', ''].map((clusterName) =>
        reconciler({ clusterName, namespace: 'shop', name: `of-${clusterName}` }, context),
      ),
    );
    expect(seen).toHaveLength(9);
    expect(seen.filter((line) => !/^(.*) shop\/of-\1$/.test(line))).toEqual([]);
  });

  it('RC-7: outside there is a clear error', () => {
    expect(() => clusterFromContext()).toThrow(/no cluster in this context: call clusterFromContext\(\) within/);
    expect(withCluster('eu-1', () => withCluster('', () => clusterFromContext()))).toBe('');
    expect(() => clusterFromContext()).toThrow();
  });
});
