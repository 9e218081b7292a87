import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createCluster, Pod } from '@mcr/core';
import type { CannedOptions } from './canned-server.ts';
import { startCannedServer } from './canned-server.ts';
import type { Scenario } from './scenario.ts';

/** How often the event loop is looked at, in milliseconds. */
const RESOLUTION = 1;

interface Stall {
  readonly p99: number;
  readonly max: number;
}

/** P-7: for how long a sync keeps everything else in the process waiting. */
export const eventLoopStall: Scenario = {
  id: 'P-7',
  title: 'stall of the event loop while 100,000 objects sync, 99th percentile',
  unit: 'ms',
  goal: 'p99 ≤ 10 ms, max ≤ 50 ms',
  isMet: ({ value, details }) => value <= 10 && (details?.['longest (ms)'] ?? Infinity) <= 50,

  async measure(size) {
    const objects = size === 'full' ? 100_000 : 500;
    const watched = await stallOf(objects, 'watch');
    const paged = await stallOf(objects, 'pages');
    return {
      value: watched.p99,
      floor: 0,
      details: {
        'longest (ms)': watched.max,
        'p99 by pages instead of WatchList (ms)': paged.p99,
        'longest by pages (ms)': paged.max,
      },
    };
  },
};

async function stallOf(objects: number, initialObjects: CannedOptions['initialObjects']): Promise<Stall> {
  await using server = await startCannedServer({ objects, events: 0, initialObjects });
  const cluster = createCluster(server.config);
  const stop = new AbortController();
  const running = cluster.run(stop.signal);
  await cluster.apiReader.list(Pod, { limit: 1 });
  await cluster.fieldIndexer.indexField(Pod, 'spec.nodeName', (pod) => [pod.spec?.nodeName ?? '']);

  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  const informer = await cluster.cache.informer(Pod);
  const handled = Promise.withResolvers<void>();
  let left = objects;
  informer.addHandler({
    onAdd: () => {
      left -= 1;
      if (left === 0) handled.resolve();
    },
  });
  await handled.promise;
  // The last stall is seen by the timer that follows it.
  await new Promise((resolve) => setTimeout(resolve, 10));
  delay.disable();
  stop.abort();
  await running;
  return { p99: delay.percentile(99) / 1e6 - RESOLUTION, max: delay.max / 1e6 - RESOLUTION };
}
