import type { SyncVariant } from './client/cache-client.ts';
import { startCacheClient, syncOf } from './client/cache-client.ts';
import type { Stall } from './client/stall.ts';
import type { Scenario } from './scenario.ts';
import { median } from './scenario.ts';
import type { CannedServer } from './server/canned-server.ts';
import { startCannedServer } from './server/canned-server.ts';

/** Live heap of the application, in bytes. */
const BALLAST = 100e6;

interface Case {
  readonly server: CannedServer;
  readonly variant?: Partial<SyncVariant>;
  /** Live heap of the application, in bytes. Default: none. */
  readonly ballast?: number;
}

/** P-7: how long a sync blocks the event loop. */
export const eventLoopStall: Scenario = {
  id: 'P-7',
  title: 'longest event-loop stall while 100,000 objects sync, also beside 100 MB of live heap',
  unit: 'ms',
  goal: 'p99 ≤ 5 ms, max ≤ 25 ms',
  isMet: ({ detail }) =>
    ['p99', 'heapP99'].every((name) => detail(name) <= 5) && ['max', 'heapMax'].every((name) => detail(name) <= 25),

  async measure(size) {
    const [objects, diverse, runs, ballast] = size === 'full' ? [100_000, 40_000, 5, BALLAST] : [200, 40, 1, 1e5];
    await using server = await startCannedServer('reference', objects);
    await using mixedServer = await startCannedServer('mixed', diverse);
    const plain = await stalls({ server }, runs);
    const heap = await stalls({ server, ballast }, runs);
    const paged = await stalls({ server, variant: { paged: true } }, runs);
    const mixed = await stalls({ server: mixedServer }, runs);
    return {
      value: plain.p99,
      floor: null,
      details: {
        p99: plain.p99,
        max: plain.max,
        heapP99: heap.p99,
        heapMax: heap.max,
        pagedP99: paged.p99,
        pagedMax: paged.max,
        mixed: mixed.p99,
        mixedMax: mixed.max,
      },
    };
  },
};

/** Returns medians over several syncs, each in a new process. */
async function stalls({ server, variant, ballast = 0 }: Case, runs: number): Promise<Stall> {
  const found: Stall[] = [];
  for (let run = 0; run < runs; run++) {
    await using client = startCacheClient();
    if (ballast > 0) await client.run('addBallast', ballast);
    found.push(await client.run('stall', syncOf(server, { through: 'handler', ...variant })));
  }
  return { p99: median(found.map(({ p99 }) => p99)), max: median(found.map(({ max }) => max)) };
}
