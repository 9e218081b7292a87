import { describe, expect, it } from '@jest/globals';
import { ApiError, ConfigMap } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { CoverageRecorder } from './fleet-coverage.ts';
import { syncedStores } from './synced-stores.ts';

/** A cluster whose informer syncs when `synced` resolves, or that refuses the kind when `refused` resolves. */
function clusterWith(synced: Promise<void>, lastError?: Error, refused?: Promise<void>): Cluster {
  const informer = {
    hasSynced: false,
    lastError,
    refusal: undefined as Error | undefined,
    onProgress(listener: () => void) {
      void refused?.then(() => {
        informer.refusal = lastError;
        listener();
      });
      return () => undefined;
    },
    waitForSync: (signal: AbortSignal) =>
      Promise.race([
        synced,
        new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      ]),
  };
  return { cache: { informer: async () => informer } } as unknown as Cluster;
}

describe('syncedStores', () => {
  it('FP-5: yields clusters as they sync, and reports those that do not sync in time', async () => {
    const clock = new VirtualClock();
    const coverage = new CoverageRecorder();
    const slow = Promise.withResolvers<void>();
    const never = new Promise<void>(() => undefined);
    const clusters = [
      { clusterName: 'away', cluster: clusterWith(never, new Error('connection refused')) },
      { clusterName: 'slow', cluster: clusterWith(slow.promise) },
      { clusterName: 'ready', cluster: clusterWith(Promise.resolve()) },
    ];
    const stores = syncedStores({ kind: ConfigMap, clusters, coverage, clock, syncTimeout: 1_000, signal: undefined });
    expect((await stores.next()).value?.clusterName).toBe('ready');
    slow.resolve();
    expect((await stores.next()).value?.clusterName).toBe('slow');
    const last = stores.next();
    await clock.advance(1_000);
    expect((await last).done).toBe(true);
    expect(coverage.coverage.missing).toEqual([
      { clusterName: 'away', reason: 'not synced within 1000 ms: connection refused' },
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('FP-5: does not wait for a cluster whose server refuses the kind', async () => {
    const clock = new VirtualClock();
    const coverage = new CoverageRecorder();
    const never = new Promise<void>(() => undefined);
    const refusal = new ApiError({ code: 403, reason: 'Forbidden', message: 'no access' });
    const clusters = [{ clusterName: 'eu-1', cluster: clusterWith(never, refusal, Promise.resolve()) }];
    const stores = syncedStores({ kind: ConfigMap, clusters, coverage, clock, syncTimeout: 10_000, signal: undefined });
    expect((await stores.next()).done).toBe(true);
    expect(coverage.coverage.missing).toEqual([{ clusterName: 'eu-1', reason: 'no access' }]);
    expect(clock.pendingTimers).toBe(0);
  });
});
