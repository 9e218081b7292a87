import assert from 'node:assert/strict';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PrometheusMetrics } from '../../manager/metrics/prometheus-metrics.ts';
import type { LaneMode, QueueItem } from './item.ts';
import { drain, request, setUp, take } from './workqueue.fixture.ts';

const MODES: readonly LaneMode[] = ['open', 'slow', 'trial', 'parked'];

describe('lanes of a workqueue', () => {
  it('FP-2: hands out no request of a parked cluster, counts them as waiting, and serves them at once when it is unparked', async () => {
    const { queue } = setUp();
    queue.add(request('1', 'a'));
    queue.setLane('a', 'parked');
    queue.setLane('b', 'parked');
    queue.add(request('2', 'a'));
    queue.add(request('3', 'b'));
    expect(queue.tryGet()).toBeUndefined();
    expect(queue).toMatchObject({ length: 3, isStarved: false });
    const waiting = queue.get();
    queue.setLane('a', 'open');
    await expect(waiting).resolves.toMatchObject({ request: { name: '1' } });
    expect(take(queue).request.name).toBe('2');
    expect(queue.tryGet()).toBeUndefined();
  });

  it('FP-2: the metric of the depth counts parked requests', async () => {
    const { queue, clock } = setUp();
    const metrics = await PrometheusMetrics.create({ clock, maxClusterLabels: 10 });
    const { queue: observer } = metrics.controller('test');
    const { queue: observed } = setUp({ metrics: observer });
    observed.setLane('a', 'parked');
    observed.add(request('1', 'a'));
    expect(await metrics.registry.getSingleMetricAsString('workqueue_depth')).toContain('priority="0"} 1');
    observed.dropCluster('a');
    expect(await metrics.registry.getSingleMetricAsString('workqueue_depth')).toContain('priority="0"} 0');
    queue.shutDown();
  });

  it('FP-2: slow clusters together hold at most half of the workers, and take turns with the others', () => {
    const { queue } = setUp({ workers: 4 });
    for (const name of ['1', '2']) for (const cluster of ['s1', 's2', 's3', 'h']) queue.add(request(name, cluster));
    for (const name of ['s1', 's2', 's3']) queue.setLane(name, 'slow');
    const first = Array.from({ length: 4 }, () => take(queue));
    expect(first.map(({ clusterName }) => clusterName)).toEqual(['s1', 'h', 's2', 'h']);
    expect(queue.tryGet()).toBeUndefined();
    first.filter(({ clusterName }) => clusterName === 's1').forEach((item) => queue.done(item));
    expect(take(queue).clusterName).toBe('s3');
    expect(queue.tryGet()).toBeUndefined();
  });

  it('FP-2: a single worker serves slow clusters only while nothing else waits', () => {
    const { queue } = setUp({ workers: 1 });
    queue.setLane('s', 'slow');
    queue.add(request('slow', 's'), { priority: 10 });
    queue.add(request('1', 'h'), { priority: -100 });
    queue.add(request('2', 'h'), { priority: -100 });
    expect(drain(queue)).toEqual(['1', '2', 'slow']);
  });

  it('FP-2: a trial is one request at a time', () => {
    const { queue } = setUp({ workers: 8 });
    queue.setLane('a', 'trial');
    for (const name of ['1', '2']) queue.add(request(name, 'a'));
    const trial = take(queue);
    expect(queue.tryGet()).toBeUndefined();
    queue.done(trial);
    expect(take(queue).request.name).toBe('2');
  });

  it('FP-2: requests in progress of a cluster that becomes slow count until it is open again', () => {
    const { queue } = setUp({ workers: 2 });
    queue.add(request('1', 's1'));
    queue.add(request('1', 's2'));
    take(queue);
    queue.setLane('s1', 'slow');
    queue.setLane('s2', 'slow');
    expect(queue.tryGet()).toBeUndefined();
    queue.add(request('1', 'h'));
    expect(queue.isStarved).toBe(true);
    queue.setLane('s1', 'open');
    expect(drain(queue).toSorted()).toEqual(['1', '1']);
  });

  it('FP-2, WQ-11: dropping a parked cluster drops its requests, and its lane stays parked', () => {
    const { queue, clock } = setUp();
    queue.setLane('a', 'parked');
    queue.add(request('1', 'a'));
    queue.add(request('2', 'a'), { after: 10 });
    queue.dropCluster('a');
    expect([queue.length, clock.pendingTimers]).toEqual([0, 0]);
    queue.add(request('3', 'a'));
    expect(queue.tryGet()).toBeUndefined();
    queue.setLane('a', 'open');
    expect(drain(queue)).toEqual(['3']);
  });

  it('FP-2, WQ-8: shuts down with requests in parked lanes', async () => {
    const { queue } = setUp();
    queue.add(request('1', 'a'));
    const item = take(queue);
    queue.add(request('2', 'a'));
    queue.setLane('a', 'parked');
    const drained = queue.shutDownWithDrain(AbortSignal.timeout(5_000));
    queue.done(item, {});
    await drained;
    expect(queue.length).toBe(0);
  });

  it('FP-2, WQ-9: without fairness, a parked cluster is skipped and is last afterwards', () => {
    const { queue } = setUp({ fairness: 'none' });
    for (const [name, cluster] of [
      ['1', 'a'],
      ['2', 'b'],
      ['3', 'a'],
      ['4', 'b'],
    ] as const) {
      // prettier-ignore
      queue.add(request(name, cluster));
    }
    queue.setLane('a', 'parked');
    expect(take(queue).request.name).toBe('2');
    queue.setLane('a', 'open');
    expect(drain(queue)).toEqual(['4', '1', '3']);
  });

  it('FP-2, WQ-10: the cap per cluster can be changed at any time', () => {
    const { queue } = setUp();
    for (const name of ['1', '2', '3', '4']) queue.add(request(name, 'a'));
    const [first, second] = [take(queue), take(queue)];
    queue.setMaxConcurrentPerCluster(1);
    expect(queue.tryGet()).toBeUndefined();
    queue.done(first);
    expect(queue.tryGet()).toBeUndefined();
    queue.done(second);
    expect(take(queue).request.name).toBe('3');
    expect(queue.tryGet()).toBeUndefined();
    queue.setMaxConcurrentPerCluster(Infinity);
    expect(take(queue).request.name).toBe('4');
  });

  it('FP-2, WQ-3, SH-5: keeps these limits and loses no request under any schedule', () => {
    const cluster = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.tuple(fc.constant('add'), cluster, fc.nat(4), fc.constantFrom(-100, 0)) },
      { weight: 5, arbitrary: fc.constant(['get'] as const) },
      { weight: 4, arbitrary: fc.tuple(fc.constant('done'), fc.nat(7), fc.boolean()) },
      { weight: 3, arbitrary: fc.tuple(fc.constant('lane'), cluster, fc.constantFrom(...MODES)) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('cap'), fc.constantFrom(1, 2, Infinity)) },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom('hold', 'resume'), cluster) },
    );
    const plan = fc.record({
      workers: fc.constantFrom(1, 2, 4, 5),
      fairness: fc.constantFrom('cluster' as const, 'none' as const),
      steps: fc.array(step, { maxLength: 80, size: 'max' }),
    });
    fc.assert(
      fc.property(plan, ({ workers, fairness, steps }) => {
        const { queue } = setUp({ workers, fairness });
        const modes = new Map<string, LaneMode>();
        const onHold = new Set<string>();
        const taken: QueueItem<unknown>[] = [];
        const pending = new Set<string>();
        let cap = Infinity;
        const modeOf = (name: string) => modes.get(name) ?? 'open';
        const held = (matches: (name: string) => boolean) => taken.filter((item) => matches(item.clusterName)).length;
        for (const [type, ...rest] of steps as [string, ...unknown[]][]) {
          if (type === 'add') {
            const [clusterName, number, priority] = rest as [string, number, number];
            queue.add(request(`${number}`, clusterName), { priority });
            pending.add(`${clusterName} ${number}`);
          } else if (type === 'get' && taken.length < workers) {
            const starved = queue.isStarved;
            const item = queue.tryGet();
            assert(item ?? !starved, 'an open request is handed out while a worker is free');
            if (!item) continue;
            const mode = modeOf(item.clusterName);
            assert.notEqual(mode, 'parked');
            assert(!onHold.has(item.clusterName));
            if (mode === 'trial') assert.equal(held((name) => name === item.clusterName), 0); // prettier-ignore
            if (mode !== 'open') assert(held((name) => modeOf(name) !== 'open') < Math.max(1, Math.floor(workers / 2)));
            if (fairness === 'cluster') assert(held((name) => name === item.clusterName) < cap);
            assert(!taken.some(({ key, clusterName }) => key === item.key && clusterName === item.clusterName));
            taken.push(item);
            pending.delete(`${item.clusterName} ${item.request.name}`);
          } else if (type === 'done') {
            const [item] = taken.splice((rest[0] as number) % (taken.length || 1), 1);
            if (!item) continue;
            if (rest[1]) pending.add(`${item.clusterName} ${(item.request as { name: string }).name}`);
            queue.done(item as never, rest[1] ? {} : undefined);
          } else if (type === 'lane') {
            const [name, mode] = rest as [string, LaneMode];
            modes.set(name, mode);
            queue.setLane(name, mode);
          } else if (type === 'hold' || type === 'resume') {
            const [name] = rest as [string];
            queue[type](name);
            if (type === 'hold') onHold.add(name);
            else onHold.delete(name);
          } else if (type === 'cap' && fairness === 'cluster') {
            cap = rest[0] as number;
            queue.setMaxConcurrentPerCluster(cap);
          }
        }
        queue.setMaxConcurrentPerCluster(Infinity);
        for (const name of modes.keys()) queue.setLane(name, 'open');
        for (const name of onHold) queue.resume(name);
        for (const item of taken) queue.done(item as never);
        assert.equal(queue.length, pending.size);
        assert.equal(drain(queue).length, pending.size);
      }),
      { numRuns: 500 },
    );
  });
});
