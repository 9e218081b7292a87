import { startCacheClient, syncOf } from './client/cache-client.ts';
import type { SampleName } from './samples/sample.ts';
import type { Scenario } from './scenario.ts';
import { median } from './scenario.ts';
import { startCannedServer } from './server/canned-server.ts';

interface Run {
  readonly objects: number;
  /** Objects that are read once. */
  readonly cold: number;
  /** Objects that are read often, and the number of these reads. */
  readonly hot: readonly [objects: number, reads: number];
  readonly runs: number;
}

/** P-16: time of a read from the cache. */
export const cachedReads: Scenario = {
  id: 'P-16',
  title: '`get` of a reference Pod: hot; cold; cold and compressed',
  unit: 'µs',
  goal: '≤ 1 µs, ≤ 12 µs, ≤ 80 µs',
  isMet: ({ value, detail }) => value <= 1 && detail('cold') <= 12 && detail('compressed') <= 80,

  async measure(size) {
    const run: Omit<Run, 'objects'> =
      size === 'full' ? { cold: 10_000, hot: [1_000, 2_000_000], runs: 5 } : { cold: 20, hot: [20, 1_000], runs: 1 };
    const [objects, diverse] = size === 'full' ? [100_000, 40_000] : [200, 40];
    const pods = await readTimes('reference', { ...run, objects });
    const compressed = await readTimes('reference', { ...run, objects }, { compress: true });
    const mixed = await readTimes('mixed', { ...run, objects: diverse });
    const mixedCompressed = await readTimes('mixed', { ...run, objects: diverse }, { compress: true });
    return {
      value: pods.hot,
      floor: null,
      details: {
        cold: pods.cold,
        compressed: compressed.cold,
        compressedHot: compressed.hot,
        mixed: mixed.hot,
        mixedCold: mixed.cold,
        mixedCompressed: mixedCompressed.cold,
      },
    };
  },
};

/** Returns the medians over several processes, in microseconds. */
async function readTimes(
  sample: SampleName,
  { objects, cold: distinct, hot: [hotObjects, reads], runs }: Run,
  { compress = false }: { readonly compress?: boolean } = {},
): Promise<{ readonly hot: number; readonly cold: number }> {
  await using server = await startCannedServer(sample, objects);
  const cold: number[] = [];
  const hot: number[] = [];
  for (let run = 0; run < runs; run++) {
    await using client = startCacheClient();
    await client.run('hold', syncOf(server, { through: 'handler', compress }));
    cold.push(await client.run('gets', { sample, objects, distinct, count: distinct }));
    // The same objects, so that they have been read before.
    hot.push(await client.run('gets', { sample, objects, distinct: hotObjects, count: reads }));
  }
  return { hot: median(hot), cold: median(cold) };
}
