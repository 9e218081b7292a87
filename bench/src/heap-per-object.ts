import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterConfig } from '@mcr/core';
import { createCluster, Pod } from '@mcr/core';
import { podJson, startCannedServer } from './canned-server.ts';
import type { Scenario } from './scenario.ts';

/** P-5: heap that a cached object uses. */
export const heapPerObject: Scenario = {
  id: 'P-5',
  title: 'heap per cached Pod, 100,000 of them',
  unit: 'bytes',
  goal: '≤ 1.25 × the bytes of its JSON',
  isMet: ({ ratio }) => ratio <= 1.25,

  async measure(size) {
    const objects = size === 'full' ? 100_000 : 500;
    await using server = await startCannedServer({ objects, events: 0, initialObjects: 'watch' });
    const { atFirst, atRest } = await heapOfCache(server.config);

    let bytes = 0;
    for (let index = 0; index < objects; index++) bytes += podJson(index, index + 1).length;
    const beforeBare = heapUsed();
    const bare = Array.from({ length: objects }, (_, index) => JSON.parse(podJson(index, index + 1)) as unknown);
    const parsed = (heapUsed() - beforeBare) / bare.length;
    return {
      value: atRest,
      floor: bytes / objects,
      details: { 'result of JSON.parse alone (bytes)': parsed, 'right after the sync (bytes)': atFirst },
    };
  },
};

/** Heap in bytes per object, right after the sync and after the cache has finished its background work. */
async function heapOfCache(config: ClusterConfig): Promise<{ readonly atFirst: number; readonly atRest: number }> {
  const cluster = createCluster(config);
  const stop = new AbortController();
  const running = cluster.run(stop.signal);
  await cluster.apiReader.list(Pod, { limit: 1 });
  const before = heapUsed();
  const informer = await cluster.cache.informer(Pod);
  await informer.waitForSync(stop.signal);
  const perObject = (heap: number) => (heap - before) / informer.store.size;
  const atFirst = heapUsed();
  const atRest = await heapAtRest(atFirst);
  const result = { atFirst: perObject(atFirst), atRest: perObject(atRest) };
  stop.abort();
  await running;
  return result;
}

/** Returns the heap size once it has stopped shrinking for a second. */
async function heapAtRest(before: number): Promise<number> {
  await sleep(1_000);
  const now = heapUsed();
  return now < before ? heapAtRest(now) : now;
}

function heapUsed(): number {
  // One collection is not enough: it leaves objects that it has only just found unreachable.
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
