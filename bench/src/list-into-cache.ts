import type { Scenario, Size } from './scenario.ts';
import { syncCosts } from './sync-cost.ts';

/** Mixed objects are larger. */
const amounts = (size: Size) =>
  size === 'full' ? { reference: 100_000, mixed: 40_000, runs: 5 } : { reference: 200, mixed: 40, runs: 1 };

/** P-1: processor time until a cache holds all objects of a kind. */
export const listIntoCache: Scenario = {
  id: 'P-1',
  title: 'list 100,000 objects over TLS, client processor time: counting handler; through the queue',
  unit: 'ms',
  goal: '≤ 0.65 ×; ≤ 0.9 × JSON.parse of the same bytes',
  isMet: ({ ratio, detail }) => ratio <= 0.65 && detail('queuedRatio') <= 0.9,

  async measure(size) {
    const { reference, mixed, runs } = amounts(size);
    const counting = { through: 'handler' } as const;
    const queued = { through: 'queue' } as const;
    const pods = await syncCosts(
      { sample: 'reference', objects: reference, runs },
      { counting, queued, paged: { ...counting, paged: true } },
    );
    const diverse = await syncCosts({ sample: 'mixed', objects: mixed, runs }, { counting, queued });
    return {
      value: pods.costs.counting,
      floor: pods.parse,
      details: {
        queued: pods.costs.queued,
        queuedRatio: pods.costs.queued / pods.parse,
        paged: pods.costs.paged,
        first: pods.first.counting,
        bytes: pods.bytes,
        mixed: diverse.costs.counting,
        mixedRatio: diverse.costs.counting / diverse.parse,
        mixedQueuedRatio: diverse.costs.queued / diverse.parse,
        mixedBytes: diverse.bytes,
      },
    };
  },
};

/** P-1b: the same with one function index. */
export const listWithIndex: Scenario = {
  id: 'P-1b',
  title: 'list 100,000 objects over TLS, client processor time: counting handler, one function index',
  unit: 'ms',
  goal: '≤ 1.3 × JSON.parse of the same bytes',
  isMet: ({ ratio }) => ratio <= 1.3,

  async measure(size) {
    const { reference, mixed, runs } = amounts(size);
    const variants = { indexed: { through: 'handler', index: true } } as const;
    const pods = await syncCosts({ sample: 'reference', objects: reference, runs }, variants);
    const diverse = await syncCosts({ sample: 'mixed', objects: mixed, runs }, variants);
    return {
      value: pods.costs.indexed,
      floor: pods.parse,
      details: {
        first: pods.first.indexed,
        mixed: diverse.costs.indexed,
        mixedRatio: diverse.costs.indexed / diverse.parse,
      },
    };
  },
};
