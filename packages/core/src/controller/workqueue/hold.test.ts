import { describe, expect, it } from '@jest/globals';
import type { LaneMode } from './item.ts';
import { drain, request, setUp, take } from './workqueue.fixture.ts';

const FAIRNESS = ['cluster', 'none'] as const;

describe.each(FAIRNESS)('a held cluster with fairness %s', (fairness) => {
  it('SH-5: its requests wait and count until it is resumed, and others are served', async () => {
    const { queue } = setUp({ fairness });
    queue.add(request('before', 'a'));
    queue.hold('a');
    queue.add(request('after', 'a'));
    queue.add(request('other', 'b'));
    expect(drain(queue)).toEqual(['other']);
    expect(queue).toMatchObject({ length: 2, isStarved: false });
    const waiting = queue.get();
    queue.resume('a');
    await expect(waiting).resolves.toMatchObject({ request: { name: 'before' } });
    expect(drain(queue)).toEqual(['after']);
  });

  it('SH-5: its requests are merged, delayed and prioritized as always', async () => {
    const { queue, clock } = setUp({ fairness });
    queue.hold('a');
    for (let i = 0; i < 3; i++) queue.add(request('merged', 'a'));
    queue.add(request('delayed', 'a'), { after: 10 });
    queue.add(request('urgent', 'a'), { priority: 1 });
    expect(queue.length).toBe(2);
    await clock.advance(10);
    expect(queue.length).toBe(3);
    expect(queue.tryGet()).toBeUndefined();
    queue.resume('a');
    expect(drain(queue)).toEqual(['urgent', 'merged', 'delayed']);
  });

  it('SH-5: a request in progress continues, and what it adds again waits', () => {
    const { queue } = setUp({ fairness });
    queue.add(request('1', 'a'));
    const item = take(queue);
    queue.hold('a');
    queue.add(request('1', 'a'));
    queue.done(item, {});
    expect([queue.length, queue.tryGet()]).toEqual([1, undefined]);
    queue.resume('a');
    expect(drain(queue)).toEqual(['1']);
  });

  it('SH-5: stays held without requests, and after it was dropped', () => {
    const { queue } = setUp({ fairness });
    queue.add(request('1', 'a'));
    const item = take(queue);
    queue.hold('a');
    queue.done(item);
    queue.add(request('2', 'a'));
    expect(queue.tryGet()).toBeUndefined();
    queue.dropCluster('a');
    expect(queue.length).toBe(0);
    queue.add(request('3', 'a'));
    expect(queue.tryGet()).toBeUndefined();
    queue.resume('a');
    expect(drain(queue)).toEqual(['3']);
  });

  it.each<LaneMode>(['slow', 'trial', 'parked'])(
    'SH-5, FP-2: a change of its lane to %s neither ends the hold nor is lost by it',
    (mode) => {
      const { queue } = setUp({ fairness });
      queue.hold('a');
      for (const name of ['1', '2']) queue.add(request(name, 'a'));
      expect(queue.isHeldBack('a')).toBe(false);
      queue.setLane('a', mode);
      expect([queue.tryGet(), queue.isHeldBack('a')]).toEqual([undefined, true]);
      queue.resume('a');
      const first = queue.tryGet();
      expect(first?.request.name).toBe(mode === 'parked' ? undefined : '1');
      expect(queue.tryGet()?.request.name).toBe(mode === 'slow' ? '2' : undefined);
      queue.hold('a');
      queue.setLane('a', 'open');
      expect(queue.tryGet()).toBeUndefined();
      if (first) queue.done(first);
      queue.resume('a');
      expect(drain(queue)).toEqual({ slow: [], trial: ['2'], parked: ['1', '2'], open: [] }[mode]);
    },
  );

  it('SH-5: hold and resume may be repeated, and resume has no effect on a cluster that is not held', () => {
    const { queue } = setUp({ fairness });
    queue.resume('a');
    queue.hold('a');
    queue.hold('a');
    queue.add(request('1', 'a'));
    queue.resume('a');
    queue.resume('a');
    expect(drain(queue)).toEqual(['1']);
  });

  it('SH-5, WQ-8: shuts down with requests of held clusters, and leaves no timer', () => {
    const { queue, clock } = setUp({ fairness });
    queue.hold('a');
    queue.add(request('1', 'a'));
    queue.add(request('2', 'a'), { after: 10 });
    queue.shutDown();
    expect([queue.length, clock.pendingTimers, queue.tryGet()]).toEqual([0, 0, undefined]);
  });
});

describe('the worker limit and held clusters', () => {
  it('SH-5, WQ-10: the cap per cluster may change while the cluster is held', () => {
    const { queue } = setUp({ maxConcurrentPerCluster: 1 });
    for (const name of ['1', '2', '3']) queue.add(request(name, 'a'));
    queue.hold('a');
    queue.setMaxConcurrentPerCluster(2);
    expect(queue.tryGet()).toBeUndefined();
    queue.resume('a');
    expect([take(queue), take(queue)].map((item) => item.request.name)).toEqual(['1', '2']);
    expect(queue.tryGet()).toBeUndefined();
  });

  it('SH-5, FP-2: requests in progress of a held cluster whose lane is open do not use the share of slow clusters', () => {
    const { queue } = setUp({ workers: 2 });
    queue.add(request('1', 'held'));
    take(queue);
    queue.hold('held');
    queue.setLane('slow', 'slow');
    queue.add(request('1', 'slow'));
    expect(take(queue).clusterName).toBe('slow');
  });
});
