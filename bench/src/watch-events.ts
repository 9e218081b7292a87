import type { CachedSampleOptions } from './client/cached-sample.ts';
import { startBareReader } from './client/bare-reader.ts';
import { startCacheClient, syncOf } from './client/cache-client.ts';
import type { SampleName } from './samples/sample.ts';
import type { Scenario } from './scenario.ts';
import { median } from './scenario.ts';
import { startCannedServer } from './server/canned-server.ts';

/** Sends updates, and returns the processor time of the client that receives them, in milliseconds. */
type Receive = (updates: number) => Promise<number>;

/** P-2: updates of held objects per second of the client's processor time. */
export const watchEvents: Scenario = {
  id: 'P-2',
  title: 'watch events, TLS → store → handler, per client CPU second: counting; through the queue',
  unit: 'events/s',
  goal: '≥ 200,000; ≥ 150,000',
  isMet: ({ value, detail }) => value >= 200_000 && detail('queued') >= 150_000,

  async measure(size) {
    const [objects, updates, runs] = size === 'full' ? [100_000, 100_000, 5] : [100, 200, 1];
    // Mixed objects are larger.
    const mixed = objects * 0.4;
    await using stack = new AsyncDisposableStack();
    const receivers = {
      counting: await cacheReceiver(stack, { sample: 'reference', objects, through: 'handler' }),
      queued: await cacheReceiver(stack, { sample: 'reference', objects, through: 'queue' }),
      floor: await bareReceiver(stack, 'reference', objects),
      mixed: await cacheReceiver(stack, { sample: 'mixed', objects: mixed, through: 'handler' }),
      mixedQueued: await cacheReceiver(stack, { sample: 'mixed', objects: mixed, through: 'queue' }),
      mixedFloor: await bareReceiver(stack, 'mixed', mixed),
    };
    const { floor, counting, ...details } = await eventsPerSecond(receivers, updates, runs);
    return { value: counting, floor, details };
  },
};

/** Measures all receivers in turns. The first run warms them up. */
async function eventsPerSecond<Name extends string>(
  receivers: Readonly<Record<Name, Receive>>,
  updates: number,
  runs: number,
): Promise<Record<Name, number>> {
  const all = (Object.entries(receivers) as [Name, Receive][]).map(([name, receive]) => {
    return { name, receive, times: [] as number[] };
  });
  for (const { receive } of all) await receive(updates);
  for (let run = 0; run < runs; run++) {
    for (const { receive, times } of all) times.push(await receive(updates));
  }
  const rates = all.map(({ name, times }) => [name, (updates * 1_000) / median(times)] as const);
  return Object.fromEntries(rates) as Record<Name, number>;
}

interface CacheReceiverOptions extends Pick<CachedSampleOptions, 'sample' | 'through'> {
  readonly objects: number;
}

/** A cache that holds all objects, with a server of its own. */
async function cacheReceiver(
  stack: AsyncDisposableStack,
  { sample, objects, through }: CacheReceiverOptions,
): Promise<Receive> {
  const server = stack.use(await startCannedServer(sample, objects));
  const client = stack.use(startCacheClient());
  await client.run('hold', syncOf(server, { through }));
  let total = objects;
  return async (updates) => {
    total += updates;
    await client.run('mark');
    await server.update(updates);
    return client.run('handled', total);
  };
}

async function bareReceiver(stack: AsyncDisposableStack, sample: SampleName, objects: number): Promise<Receive> {
  const server = stack.use(await startCannedServer(sample, objects));
  const reader = stack.use(await startBareReader(server));
  return async (updates) => {
    await reader.run('mark');
    return reader.run('received', await server.update(updates));
  };
}
