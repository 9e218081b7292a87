import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createCluster, Pod } from '@mcr/core';
import type { CannedOptions } from './canned-server.ts';
import { podJson, startCannedServer } from './canned-server.ts';
import type { Scenario } from './scenario.ts';

/** Sampling interval of the event loop, in milliseconds. */
const RESOLUTION = 1;

interface Stall {
  readonly p99: number;
  readonly max: number;
}

/** P-7: how long a sync blocks the event loop. */
export const eventLoopStall: Scenario = {
  id: 'P-7',
  title: 'stall of the event loop while 100,000 objects sync, 99th percentile',
  unit: 'ms',
  goal: 'p99 ≤ 10 ms, max ≤ 50 ms',
  isMet: ({ value, details }) => value <= 10 && (details?.['longest (ms)'] ?? Infinity) <= 50,

  async measure(size) {
    const objects = size === 'full' ? 100_000 : 500;
    const bare = await stallOfParsing(objects);
    const watched = await stallOf(objects, 'watch');
    const paged = await stallOf(objects, 'pages');
    return {
      value: watched.p99,
      floor: bare.p99,
      details: {
        'longest (ms)': watched.max,
        'longest of JSON.parse alone (ms)': bare.max,
        'p99 with pages instead of WatchList (ms)': paged.p99,
        'longest with pages (ms)': paged.max,
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

  const stall = await measureStall(async () => {
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
  });
  stop.abort();
  await running;
  return stall;
}

/**
 * Measures the stalls of garbage collection when the same number of objects is parsed and kept, a hundred in each turn.
 */
async function stallOfParsing(objects: number): Promise<Stall> {
  const kept: unknown[] = [];
  const texts = Array.from({ length: objects }, (_, index) => podJson(index, index + 1));
  const stall = await measureStall(async () => {
    for (const [index, text] of texts.entries()) {
      kept.push(JSON.parse(text));
      if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  });
  if (kept.length !== objects) throw new Error(`expected ${objects} objects, kept ${kept.length}`);
  return stall;
}

async function measureStall(work: () => Promise<void>): Promise<Stall> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  await work();
  // The next timer tick records the last stall.
  await new Promise((resolve) => setTimeout(resolve, 10));
  delay.disable();
  return { p99: delay.percentile(99) / 1e6 - RESOLUTION, max: delay.max / 1e6 - RESOLUTION };
}
