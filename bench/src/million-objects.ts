import { startCacheClient, syncOf } from './client/cache-client.ts';
import type { SampleName } from './samples/sample.ts';
import type { Scenario } from './scenario.ts';
import { startCannedServer } from './server/canned-server.ts';

interface Footprint {
  /** Highest resident memory of the client until the first sync, in gigabytes. */
  readonly synced: number;
  /** The same until the end of a relist of unchanged objects. */
  readonly relisted: number;
  /** Processor time of the client until the first sync, in seconds. */
  readonly processor: number;
  readonly relistProcessor: number;
  /** Size of the JSON texts in gigabytes. */
  readonly json: number;
}

/** P-15: a million objects in one process. */
export const millionObjects: Scenario = {
  id: 'P-15',
  title: '1,000,000 reference Pods in one process: highest RSS until the sync; at a relist; client processor time',
  unit: 'GB',
  goal: 'RSS ≤ 2.0 GB, at relist ≤ 2.1 GB, ≤ 10 s of client processor time; compressed ≤ 800 MB, ≤ 15 s',
  isMet: ({ value, detail }) =>
    value <= 2 &&
    detail('relist') <= 2.1 &&
    detail('cpu') <= 10 &&
    detail('compressed') <= 0.8 &&
    detail('compressedCpu') <= 15,

  async measure(size) {
    // The mixed objects have about as many bytes.
    const [objects, diverse] = size === 'full' ? [1_000_000, 400_000] : [200, 40];
    const pods = await footprintOf('reference', objects);
    const compressed = await footprintOf('reference', objects, { compress: true });
    const mixed = await footprintOf('mixed', diverse);
    return {
      value: pods.synced,
      floor: pods.json,
      details: {
        relist: pods.relisted,
        cpu: pods.processor,
        relistCpu: pods.relistProcessor,
        compressed: compressed.synced,
        compressedCpu: compressed.processor,
        compressedRelist: compressed.relisted,
        compressedRelistCpu: compressed.relistProcessor,
        mixed: mixed.synced,
        mixedJson: mixed.json,
        mixedRelist: mixed.relisted,
        mixedCpu: mixed.processor,
      },
    };
  },
};

async function footprintOf(
  sample: SampleName,
  objects: number,
  { compress = false }: { readonly compress?: boolean } = {},
): Promise<Footprint> {
  await using server = await startCannedServer(sample, objects);
  await using client = startCacheClient();
  const processor = await client.run('hold', syncOf(server, { through: 'handler', compress }));
  const synced = await client.run('highestMemory');
  await client.run('mark');
  await server.relist();
  // The update follows the relist on the same connection.
  await server.update(1);
  const relistProcessor = await client.run('handled', objects + 1);
  const relisted = await client.run('highestMemory');
  return {
    synced: synced / 1e9,
    relisted: relisted / 1e9,
    processor: processor / 1e3,
    relistProcessor: relistProcessor / 1e3,
    json: server.bytes / 1e9,
  };
}
