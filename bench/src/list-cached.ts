import { startCacheClient, syncOf } from './client/cache-client.ts';
import { startParser } from './client/parser.ts';
import type { SampleName } from './samples/sample.ts';
import type { Scenario } from './scenario.ts';
import { median } from './scenario.ts';
import { startCannedServer } from './server/canned-server.ts';

/** Number of later lists. The result is their mean. */
const REPEATED = 200;
/** Makes the smallest budget of decoded objects, 64 MiB. */
const SMALL_HEAP = ['--max-old-space-size=512'];

/** P-19: time to list cached objects. */
export const listCached: Scenario = {
  id: 'P-19',
  title: 'list 10,000 cached objects, the first time and again',
  unit: 'ms',
  goal: '≤ 1.2 × parsing one by one; again ≤ 3 × copying the values of a Map; no turn over 8 ms',
  isMet: ({ ratio, detail }) =>
    ratio <= 1.2 && detail('againRatio') <= 3 && detail('longestTurn') <= 8 && detail('beyondLongestTurn') <= 8,

  async measure(size) {
    const [objects, beyond, runs] = size === 'full' ? [10_000, 100_000, 5] : [50, 100, 1];
    const pods = await listTimes('reference', objects, runs);
    const mixed = await listTimes('mixed', Math.max(objects * 0.4, 16), runs);
    const large = await listTimes('reference', beyond, 1, SMALL_HEAP);
    return {
      value: pods.first,
      floor: pods.parse,
      details: {
        again: pods.again,
        againFloor: pods.copy,
        againRatio: pods.again / pods.copy,
        longestTurn: pods.longestTurn,
        beyond: large.again,
        beyondRatio: large.again / large.parse,
        beyondLongestTurn: large.longestTurn,
        mixed: mixed.first,
        mixedRatio: mixed.first / mixed.parse,
        mixedLongestTurn: mixed.longestTurn,
      },
    };
  },
};

interface ListTimes {
  /** Processor times in milliseconds. */
  readonly first: number;
  readonly again: number;
  /** Longest stall of the event loop in the first list, in milliseconds. */
  readonly longestTurn: number;
  /** Floors: parsing the objects one by one, and copying the values of a Map. */
  readonly parse: number;
  readonly copy: number;
}

/** Returns the medians over several processes. */
async function listTimes(
  sample: SampleName,
  objects: number,
  runs: number,
  flags?: readonly string[],
): Promise<ListTimes> {
  await using server = await startCannedServer(sample, objects);
  const found: ListTimes[] = [];
  for (let run = 0; run < runs; run++) {
    await using client = startCacheClient(flags);
    await client.run('hold', syncOf(server, { through: 'handler' }));
    const first = await client.run('list', 1);
    const again = await client.run('list', flags ? 1 : REPEATED);
    await using parser = await startParser(sample, objects);
    found.push({
      first: first.processorTime,
      again: again.processorTime,
      longestTurn: first.longestTurn,
      parse: await parser.run('parseEach'),
      copy: await parser.run('copyMap'),
    });
  }
  const of = (name: keyof ListTimes) => median(found.map((times) => times[name]));
  return {
    first: of('first'),
    again: of('again'),
    longestTurn: of('longestTurn'),
    parse: of('parse'),
    copy: of('copy'),
  };
}
