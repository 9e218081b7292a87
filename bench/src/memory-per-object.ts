import type { CacheClient } from './client/cache-client.ts';
import { startCacheClient, syncOf, type SyncVariant } from './client/cache-client.ts';
import type { Memory } from './client/memory.ts';
import type { SampleName } from './samples/sample.ts';
import type { Scenario } from './scenario.ts';
import type { CannedServer } from './server/canned-server.ts';
import { startCannedServer } from './server/canned-server.ts';

/** Allowance for each object beside its JSON text, in bytes. */
const RECORD = 80;
/** Keeps compiled code that has not run for a while: dropping it would count as memory that objects give back. */
const KEEP_CODE = ['--no-flush-bytecode'];
/** Updates of each object before the memory is measured again. */
const UPDATES = 10;

interface Run {
  readonly objects: number;
  /** Objects of another cluster that stays cached, so that code and connections are not counted. */
  readonly warmUp: number;
  /** See `memoryAtRest`, in milliseconds. */
  readonly quiet: number;
  /** The same after the updates: time until the memory that they left empty is given back. */
  readonly quietAfterUpdates: number;
}

/** P-5: memory that a cached object uses. */
export const memoryPerObject: Scenario = {
  id: 'P-5',
  title: 'memory per cached object: heap; all; all after ten updates of each; compressed',
  unit: 'bytes',
  goal: 'heap ≤ 16 B; all ≤ 1.05 × + 80 B (1.35 × + 80 B after churn); compressed ≤ 0.25 ×',
  isMet: ({ value, floor, detail }) =>
    value <= 16 &&
    detail('allRatio') <= 1.05 + RECORD / floor &&
    detail('churnRatio') <= 1.35 + RECORD / floor &&
    detail('compressedRatio') <= 0.25,

  async measure(size) {
    const run =
      size === 'full'
        ? { warmUp: 10_000, quiet: 2_000, quietAfterUpdates: 11_000 }
        : { warmUp: 40, quiet: 10, quietAfterUpdates: 10 };
    const [objects, diverse] = size === 'full' ? [100_000, 40_000] : [200, 40];
    const pods = await memoryOf('reference', { ...run, objects });
    const indexed = await memoryOf('reference', { ...run, objects }, { index: true });
    const compressed = await memoryOf('reference', { ...run, objects }, { compress: true });
    const mixed = await memoryOf('mixed', { ...run, objects: diverse });
    const mixedCompressed = await memoryOf('mixed', { ...run, objects: diverse }, { compress: true });
    return {
      value: pods.synced.heap,
      floor: pods.json,
      details: {
        all: pods.synced.resident,
        allRatio: pods.synced.resident / pods.json,
        churnHeap: pods.churned.heap,
        churnRatio: pods.churned.resident / pods.json,
        indexed: indexed.synced.heap,
        indexedRatio: indexed.synced.resident / indexed.json,
        compressed: compressed.synced.heap,
        compressedRatio: compressed.synced.resident / compressed.json,
        compressedChurnRatio: compressed.churned.resident / compressed.json,
        mixed: mixed.synced.heap,
        mixedJson: mixed.json,
        mixedAllRatio: mixed.synced.resident / mixed.json,
        mixedChurnRatio: mixed.churned.resident / mixed.json,
        mixedCompressedRatio: mixedCompressed.synced.resident / mixedCompressed.json,
      },
    };
  },
};

/** Returns bytes per object. */
async function memoryOf(
  sample: SampleName,
  { objects, warmUp, quiet, quietAfterUpdates }: Run,
  variant: Pick<SyncVariant, 'index' | 'compress'> = {},
): Promise<{ readonly synced: Memory; readonly churned: Memory; readonly json: number }> {
  await using small = await startCannedServer(sample, warmUp);
  await using server = await startCannedServer(sample, objects);
  await using client = startCacheClient(KEEP_CODE);
  const hold = (from: CannedServer) => client.run('hold', syncOf(from, { through: 'handler', ...variant }));
  await hold(small);
  const before = await client.run('memory', quiet);
  await hold(server);
  const synced = await memorySince(client, before, { objects, quiet });
  await server.update(UPDATES * objects);
  await client.run('handled', objects + UPDATES * objects);
  const churned = await memorySince(client, before, { objects, quiet: quietAfterUpdates });
  return { synced, churned, json: server.bytes / objects };
}

async function memorySince(
  client: CacheClient,
  before: Memory,
  { objects, quiet }: Pick<Run, 'objects' | 'quiet'>,
): Promise<Memory> {
  const now = await client.run('memory', quiet);
  return { heap: (now.heap - before.heap) / objects, resident: (now.resident - before.resident) / objects };
}
