import type { ClusterConfig } from '@mcr/core';
import { createCluster, Pod } from '@mcr/core';
import { podJson, startCannedServer } from './canned-server.ts';
import type { Scenario } from './scenario.ts';
import { medianTime } from './scenario.ts';

/** P-2: watch events per second, from the wire through the store to a handler. */
export const watchEvents: Scenario = {
  id: 'P-2',
  title: 'watch events of 1.8 KB, TLS → parse → store → handler',
  unit: 'events/s',
  goal: '≥ 50 % of split and JSON.parse in memory, and ≥ 50,000 events/s',
  isMet: ({ value, ratio }) => ratio >= 0.5 && value >= 50_000,

  async measure(size) {
    const events = size === 'full' ? 100_000 : 500;
    const runs = size === 'full' ? 5 : 1;
    await using server = await startCannedServer({ objects: 0, events, initialObjects: 'watch' });
    const time = await medianTime(runs, () => untilHandled(server.config, events));

    const lines = Array.from(
      { length: events },
      (_, index) => `{"type":"ADDED","object":${podJson(index, index + 1)}}`,
    );
    const bytes = Buffer.from(lines.join('\n'));
    const floor = await medianTime(runs, () => {
      for (const line of bytes.toString().split('\n')) JSON.parse(line);
    });
    const perSecond = (milliseconds: number) => (events * 1000) / milliseconds;
    return { value: perSecond(time), floor: perSecond(floor) };
  },
};

async function untilHandled(config: ClusterConfig, events: number): Promise<void> {
  const cluster = createCluster(config);
  const stop = new AbortController();
  const handled = Promise.withResolvers<void>();
  const informer = await cluster.cache.informer(Pod);
  let left = events;
  informer.addHandler({
    onAdd: () => {
      left -= 1;
      if (left === 0) handled.resolve();
    },
  });
  const running = cluster.run(stop.signal);
  await handled.promise;
  stop.abort();
  await running;
}
