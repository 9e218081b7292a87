import type { ClusterConfig } from '@mcr/core';
import { createCluster, Pod } from '@mcr/core';
import type { CannedOptions } from './canned-server.ts';
import { podJson, startCannedServer } from './canned-server.ts';
import type { Scenario } from './scenario.ts';
import { medianTime } from './scenario.ts';

/** P-1: time until a cache holds all objects of a kind, indexed. */
export const listAndIndex: Scenario = {
  id: 'P-1',
  title: 'list 100,000 Pods of 1.8 KB over TLS into a cache and index them',
  unit: 'ms',
  goal: '≤ 1.25 × the time of JSON.parse alone',
  isMet: ({ ratio }) => ratio <= 1.25,

  async measure(size) {
    const objects = size === 'full' ? 100_000 : 500;
    const runs = size === 'full' ? 5 : 1;
    const time = async (initialObjects: CannedOptions['initialObjects']) => {
      await using server = await startCannedServer({ objects, events: 0, initialObjects });
      return await medianTime(runs, () => syncAndIndex(server.config, objects));
    };
    const value = await time('watch');
    const paged = await time('pages');

    const items = Array.from({ length: objects }, (_, index) => podJson(index, index + 1)).join(',');
    const bytes = Buffer.from(
      `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[${items}]}`,
    );
    const floor = await medianTime(runs, () => JSON.parse(bytes.toString()) as unknown);
    return {
      value,
      floor,
      details: { 'with pages instead of WatchList (ms)': paged, 'body (MB)': bytes.length / 1e6 },
    };
  },
};

/** Syncs a cache with a server of `objects` Pods, and looks up some of them. */
export async function syncAndIndex(config: ClusterConfig, objects: number): Promise<void> {
  const cluster = createCluster(config);
  const stop = new AbortController();
  const running = cluster.run(stop.signal);
  await cluster.fieldIndexer.indexField(Pod, 'spec.nodeName', (pod) => [pod.spec?.nodeName ?? '']);
  const { items } = await cluster.client.list(Pod, {
    index: { name: 'spec.nodeName', value: 'node-7' },
    timeout: 120_000,
  });
  if (items.length !== objects / 100) {
    throw new Error(`expected ${objects / 100} Pods on node-7, found ${items.length}`);
  }
  stop.abort();
  await running;
}
