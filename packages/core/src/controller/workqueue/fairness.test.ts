import { describe, expect, it } from '@jest/globals';
import { drain, request, setUp, take } from './workqueue.fixture.ts';

describe('fairness of a workqueue', () => {
  it('WQ-9: each cluster is served within one round while another one has 100,000 items', () => {
    const { queue } = setUp();
    for (let i = 0; i < 100_000; i++) queue.add(request(`x${i}`, 'big'));
    const others = Array.from({ length: 50 }, (_, i) => `small-${i}`);
    for (const name of others) queue.add(request('y', name));
    const round = Array.from({ length: others.length + 1 }, () => take(queue).clusterName);
    expect(round.toSorted()).toEqual(['big', ...others].toSorted());
  });

  it('WQ-9: clusters with equal loads take turns', () => {
    const { queue } = setUp();
    for (const clusterName of ['a', 'b', 'c']) for (const name of ['1', '2']) queue.add(request(name, clusterName));
    const order = Array.from({ length: 6 }, () => take(queue)).map(({ request: r }) => r.clusterName + r.name);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });

  it('WQ-9: a starved low priority still progresses', () => {
    const { queue } = setUp();
    queue.add(request('low'), { priority: -100 });
    queue.add(request('lowest'), { priority: -200 });
    for (let i = 0; i < 2; i++) queue.add(request(`steady${i}`));
    const turns: Record<string, number> = {};
    for (let turn = 0; turn < 300; turn++) {
      const item = take(queue);
      turns[item.request.name] ??= turn;
      queue.done(item, item.priority === 0 ? {} : undefined);
    }
    expect(turns).toMatchObject({ low: 99, lowest: 199 });
  });

  it('WQ-9: without fairness, items are in order of addition, and a dropped cluster drops its items', () => {
    const { queue } = setUp({ fairness: 'none' });
    for (const name of ['1', '2', '3']) queue.add(request(`a${name}`, 'a'));
    queue.add(request('b1', 'b'));
    queue.add(request('c1', 'c'));
    queue.add(request('urgent', 'c'), { priority: 1 });
    queue.dropCluster('b');
    expect(drain(queue)).toEqual(['urgent', 'a1', 'a2', 'a3', 'c1']);
    expect(() => setUp({ fairness: 'none', maxConcurrentPerCluster: 1 })).toThrow('maxConcurrentPerCluster');
  });

  it('WQ-4: without priorities, a higher priority has no effect', () => {
    const { queue } = setUp({ priorityQueue: false });
    queue.add(request('first'), { priority: -100 });
    queue.add(request('second'), { priority: 100 });
    expect(drain(queue)).toEqual(['first', 'second']);
  });

  it('WQ-10: a cluster holds at most maxConcurrentPerCluster workers, and others get the rest', () => {
    const { queue } = setUp({ maxConcurrentPerCluster: 2 });
    for (let i = 0; i < 5; i++) queue.add(request(`a${i}`, 'a'), { priority: i === 4 ? 1 : 0 });
    const first = take(queue);
    const second = take(queue);
    expect([first, second].map(({ request: { name } }) => name)).toEqual(['a4', 'a0']);
    expect(queue.tryGet()).toBeUndefined();
    queue.add(request('b0', 'b'), { priority: -100 });
    expect(take(queue).request.name).toBe('b0');
    queue.done(second);
    expect(take(queue).request.name).toBe('a1');
    expect(queue.tryGet()).toBeUndefined();
  });

  it('WQ-10: a waiting worker is served as soon as the cluster is below its cap', async () => {
    const { queue } = setUp({ maxConcurrentPerCluster: 1 });
    queue.add(request('x'));
    queue.add(request('y'));
    const item = take(queue);
    const waiting = queue.get();
    queue.done(item);
    await expect(waiting).resolves.toMatchObject({ request: { name: 'y' } });
  });

  const hubRequest = (name: string) => request(name, '');

  it('FP-2, WQ-9: requests for the local cluster take turns by the clusters that caused them', () => {
    const { queue } = setUp();
    for (let i = 0; i < 10_000; i++) queue.add(hubRequest(`noisy${i}`), { cause: 'noisy' });
    queue.add(hubRequest('quiet'), { cause: 'quiet' });
    queue.add(hubRequest('own'));
    queue.add(hubRequest('own2'), { cause: '' });
    queue.add(request('member', 'm'), { cause: '' });
    const order = Array.from({ length: 7 }, () => take(queue).request.name);
    expect(order).toEqual(['own', 'member', 'noisy0', 'own2', 'quiet', 'noisy1', 'noisy2']);
  });

  it('FP-2, WQ-3: a request that several clusters caused is handed out once, in the shortest of their turns', () => {
    const { queue } = setUp();
    for (let i = 0; i < 100; i++) queue.add(hubRequest(`x${i}`), { cause: 'noisy' });
    queue.add(hubRequest('x99'), { cause: 'quiet' });
    queue.add(hubRequest('x98'));
    // It stays in the shorter turn.
    queue.add(hubRequest('x98'), { cause: 'noisy' });
    expect(Array.from({ length: 3 }, () => take(queue).request.name)).toEqual(['x98', 'x0', 'x99']);
    expect(drain(queue)).toHaveLength(97);
  });

  it('FP-2, WQ-10: a retry keeps its cause, and the cap applies to all causes together', () => {
    const { queue } = setUp({ maxConcurrentPerCluster: 1 });
    queue.add(hubRequest('a'), { cause: 'noisy' });
    queue.add(hubRequest('b'), { cause: 'noisy' });
    queue.add(hubRequest('own'));
    const first = take(queue);
    expect([first.request.name, queue.tryGet()]).toEqual(['own', undefined]);
    queue.done(first, {});
    const second = take(queue);
    expect(second.request.name).toBe('a');
    queue.done(second, {});
    expect(drain(queue)).toEqual(['own', 'b', 'a']);
  });

  it('FP-2, WQ-9: slow and parked modes, dropped clusters and "none" apply to requests of all causes', () => {
    const { queue } = setUp();
    queue.add(hubRequest('a'), { cause: 'noisy' });
    queue.setLane('', 'parked');
    queue.add(hubRequest('b'), { cause: 'quiet' });
    expect([queue.tryGet(), queue.isHeldBack('')]).toEqual([undefined, true]);
    queue.setLane('', 'open');
    expect(drain(queue)).toEqual(['a', 'b']);
    queue.add(hubRequest('c'), { cause: 'noisy' });
    queue.dropCluster('');
    expect([queue.length, drain(queue)]).toEqual([0, []]);
    const unfair = setUp({ fairness: 'none' }).queue;
    for (const [name, cause] of ['noisy', 'noisy', 'quiet'].entries()) unfair.add(hubRequest(String(name)), { cause });
    unfair.setLane('', 'slow');
    unfair.setLane('', 'open');
    expect(drain(unfair)).toEqual(['0', '1', '2']);
  });
});
