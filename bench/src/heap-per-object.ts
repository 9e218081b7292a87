import type { ClusterConfig, ClusterOptions } from '@mcr/core';
import { createCluster, Pod, shareStrings } from '@mcr/core';
import { podJson, startCannedServer } from './canned-server.ts';
import type { Scenario } from './scenario.ts';

/** P-5: what an object in a cache takes of the heap. */
export const heapPerObject: Scenario = {
  id: 'P-5',
  title: 'heap per cached Pod, 100,000 of them',
  unit: 'bytes',
  goal: '≤ 1.25 × the bytes of its JSON',
  isMet: ({ ratio }) => ratio <= 1.25,

  async measure(size) {
    const objects = size === 'full' ? 100_000 : 500;
    await using server = await startCannedServer({ objects, events: 0, initialObjects: 'watch' });
    const value = await heapOfCache(server.config);
    const sharing = await heapOfCache(server.config, { byKind: [{ kind: Pod, transform: shareStrings() }] });

    let bytes = 0;
    for (let index = 0; index < objects; index++) bytes += podJson(index, index + 1).length;
    const beforeBare = heapUsed();
    const bare = Array.from({ length: objects }, (_, index) => JSON.parse(podJson(index, index + 1)) as unknown);
    const parsed = (heapUsed() - beforeBare) / bare.length;
    return {
      value,
      floor: bytes / objects,
      details: { 'with shareStrings (bytes)': sharing, 'what JSON.parse alone makes of it (bytes)': parsed },
    };
  },
};

async function heapOfCache(config: ClusterConfig, cache: ClusterOptions['cache'] = {}): Promise<number> {
  const cluster = createCluster(config, { cache });
  const stop = new AbortController();
  const running = cluster.run(stop.signal);
  await cluster.apiReader.list(Pod, { limit: 1 });
  const before = heapUsed();
  const informer = await cluster.cache.informer(Pod);
  await informer.waitForSync(stop.signal);
  const heap = (heapUsed() - before) / informer.store.size;
  stop.abort();
  await running;
  return heap;
}

function heapUsed(): number {
  // One collection leaves what it has only just found to be dead.
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
