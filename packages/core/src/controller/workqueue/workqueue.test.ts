import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import { drain, request, setUp, take } from './workqueue.fixture.ts';

describe('workqueue', () => {
  it('WQ-1: a key added many times before it is taken is handed out once', () => {
    const { queue } = setUp();
    for (let i = 0; i < 5; i++) queue.add(request('x'));
    queue.add(request('x', 'b'));
    expect(queue.length).toBe(2);
    expect(drain(queue)).toEqual(['x', 'x']);
  });

  it('refuses a request without a cluster', () => {
    const { queue } = setUp();
    const message = 'request default/x: expected the name of its cluster, found undefined: set clusterName';
    expect(() => queue.add(Object.assign(request('x'), { clusterName: undefined }))).toThrow(message);
    expect(queue.length).toBe(0);
  });

  it('WQ-2: a key added while it is processed is handed out again after done', () => {
    const { queue } = setUp();
    queue.add(request('x'));
    const item = take(queue);
    queue.add(request('x'));
    queue.add(request('x'));
    expect(queue.tryGet()).toBeUndefined();
    queue.done(item);
    expect(drain(queue)).toEqual(['x']);
  });

  it('WQ-3: a key being processed is not handed out twice, whatever the number of workers', async () => {
    const { queue, clock } = setUp();
    const processing = new Set<string>();
    let handedOut = 0;
    const work = async () => {
      for (let item = await queue.get(); item; item = await queue.get()) {
        expect(processing.has(item.key)).toBe(false);
        processing.add(item.key);
        handedOut += 1;
        await Promise.resolve();
        if (handedOut < 500) queue.add(item.request);
        await Promise.resolve();
        processing.delete(item.key);
        queue.done(item);
      }
    };
    const workers = Array.from({ length: 16 }, work);
    for (let i = 0; i < 10; i++) queue.add(request(`x${i}`));
    await clock.advance(0);
    expect(handedOut).toBeGreaterThanOrEqual(500);
    queue.shutDown();
    await Promise.all(workers);
  });

  it('WQ-3: returning an item twice has no effect', () => {
    const { queue } = setUp();
    queue.add(request('x'));
    const first = take(queue);
    queue.done(first);
    queue.add(request('x'));
    const second = take(queue);
    queue.done(first, {});
    expect(queue.tryGet()).toBeUndefined();
    queue.add(request('x'));
    expect(queue.tryGet()).toBeUndefined();
    queue.done(second);
    expect(drain(queue)).toEqual(['x']);
  });

  it('WQ-4: higher priority first, FIFO within a priority', () => {
    const { queue } = setUp();
    queue.add(request('low'), { priority: -100 });
    queue.add(request('first'));
    queue.add(request('second'));
    queue.add(request('high'), { priority: 10 });
    expect(drain(queue)).toEqual(['high', 'first', 'second', 'low']);
  });

  it('WQ-4: a duplicate add raises the priority to the maximum', () => {
    const { queue } = setUp();
    queue.add(request('x'), { priority: -100 });
    queue.add(request('y'), { priority: 5 });
    queue.add(request('x'), { priority: 10 });
    queue.add(request('x'), { priority: -200 });
    const item = take(queue);
    expect(item).toMatchObject({ priority: 10, request: { name: 'x' } });
    expect(take(queue).request.name).toBe('y');
  });

  it('WQ-4: a duplicate add keeps the earliest ready time', async () => {
    const { queue, clock } = setUp();
    queue.add(request('x'), { after: 100 });
    queue.add(request('x'), { after: 50 });
    queue.add(request('x'), { after: 200, priority: 7 });
    await clock.advance(49);
    expect(queue.tryGet()).toBeUndefined();
    await clock.advance(1);
    expect(take(queue)).toMatchObject({ priority: 7 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('WQ-6: a delayed add is not handed out early', async () => {
    const { queue, clock } = setUp();
    queue.add(request('later'), { after: 20 });
    queue.add(request('sooner'), { after: 10 });
    await clock.advance(9.9);
    expect(queue.tryGet()).toBeUndefined();
    await clock.advance(0.1);
    expect(drain(queue)).toEqual(['sooner']);
    await clock.advance(10);
    expect(drain(queue)).toEqual(['later']);
  });

  it('WQ-6: waits again if a timer fires early', async () => {
    const clock = new VirtualClock();
    const early = {
      now: () => clock.now(),
      wallTime: () => clock.wallTime(),
      schedule: (delay: number, callback: () => void) => clock.schedule(Math.min(delay, 8), callback),
    };
    const { queue } = setUp({ clock: early });
    queue.add(request('x'), { after: 20 });
    await clock.advance(19);
    expect(queue.tryGet()).toBeUndefined();
    await clock.advance(1);
    expect(drain(queue)).toEqual(['x']);
  });

  it('WQ-6: an immediate add of the same key wins over a later one', async () => {
    const { queue, clock } = setUp();
    queue.add(request('x'), { after: 1_000 });
    queue.add(request('x'));
    expect(drain(queue)).toEqual(['x']);
    await clock.advance(2_000);
    expect(drain(queue)).toEqual([]);
  });

  it('WQ-6: a delayed add of a key in progress waits for both', async () => {
    const { queue, clock } = setUp();
    queue.add(request('x'));
    const item = take(queue);
    queue.add(request('x'), { after: 10 });
    await clock.advance(20);
    expect(queue.tryGet()).toBeUndefined();
    queue.done(item, { after: 500 });
    expect(drain(queue)).toEqual(['x']);
  });

  it('WQ-6: hands out delayed requests in the order of their times with one timer', async () => {
    const { queue, clock } = setUp();
    const delays = Array.from({ length: 200 }, (_, i) => ((i * 7_919) % 211) + 1);
    for (const delay of delays) queue.add(request(`${delay}`), { after: delay });
    expect(clock.pendingTimers).toBe(1);
    const handedOut: number[] = [];
    for (let ms = 0; ms < 250; ms++) {
      await clock.advance(1);
      handedOut.push(...drain(queue).map(Number));
    }
    expect(handedOut).toEqual([...delays].sort((a, b) => a - b));
    expect(clock.pendingTimers).toBe(0);
  });

  it('WQ-7: retries with the backoff of the rate limiter, at the previous priority', async () => {
    const { queue, clock } = setUp();
    queue.add(request('x'), { priority: -100 });
    const delays: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      const item = take(queue);
      expect(queue.attempts(item)).toBe(attempt);
      expect(item.priority).toBe(-100);
      queue.done(item, { after: 'backoff' });
      const since = clock.now();
      while (queue.length === 0) await clock.advance(5);
      delays.push(clock.now() - since);
    }
    expect(delays).toEqual([5, 10, 20, 40]);
    const item = take(queue);
    queue.forget(item);
    expect(queue.attempts(item)).toBe(0);
  });

  it('WQ-7: the rate limiter can be replaced', async () => {
    const calls: string[] = [];
    const { queue, clock } = setUp({
      rateLimiter: {
        when: (key, clusterName) => {
          calls.push(`when ${key} of ${clusterName}`);
          return 33;
        },
        attempts: () => 4,
        forget: (key, clusterName) => void calls.push(`forget ${key} of ${clusterName}`),
        dropCluster: (name) => void calls.push(`drop ${name}`),
      },
    });
    queue.add(request('x'), { after: 'backoff' });
    await clock.advance(32);
    expect(queue.tryGet()).toBeUndefined();
    await clock.advance(1);
    const item = take(queue);
    expect(queue.attempts(item)).toBe(4);
    queue.forget(item);
    queue.dropCluster('a');
    expect(calls).toEqual(['when default/x of a', 'forget default/x of a', 'drop a']);
  });

  it('SH-5: dropRequests drops only the requests of a cluster that match, with their backoff', async () => {
    const { queue, clock } = setUp();
    for (const name of ['x', 'y', 'z']) queue.add(request(name), { after: 'backoff' });
    await clock.advance(5);
    const x = take(queue);
    queue.add(request('x'), { after: 1_000 });
    queue.add(request('x', 'b'));
    queue.dropRequests('a', ({ request: { name } }) => name !== 'z');
    expect([queue.isDropped(x), queue.attempts(x)]).toEqual([true, 0]);
    queue.done(x, {});
    await clock.advance(1_000);
    expect(drain(queue).sort()).toEqual(['x', 'z']);
    expect(queue.attempts({ key: 'default/z', clusterName: 'a' })).toBe(1);
    queue.add(request('y'));
    expect(drain(queue)).toEqual(['y']);
  });

  it('WQ-8: shutDown stops handing out requests, ignores additions, and leaves no timer', async () => {
    const { queue, clock } = setUp();
    const getter = queue.get();
    queue.add(request('taken'));
    const item = await getter;
    const waiting = queue.get();
    queue.add(request('delayed'), { after: 1_000 });
    queue.shutDown();
    await expect(waiting).resolves.toBeUndefined();
    queue.add(request('later'));
    queue.add(request('later'), { after: 5 });
    if (item) queue.done(item, { after: 5 });
    expect(clock.pendingTimers).toBe(0);
    expect(queue.length).toBe(0);
    expect(queue.tryGet()).toBeUndefined();
    await expect(queue.get()).resolves.toBeUndefined();
  });

  it('WQ-8: leaves no timer of a delayed request that was moved to an earlier time', () => {
    const { queue, clock } = setUp();
    queue.add(request('x'), { after: 1_000 });
    queue.add(request('x'));
    expect(drain(queue)).toEqual(['x']);
    queue.shutDown();
    expect(clock.pendingTimers).toBe(0);
  });

  it('WQ-8: shutDownWithDrain waits for requests in progress', async () => {
    const { queue } = setUp();
    queue.add(request('x'));
    queue.add(request('y'));
    queue.add(request('z'));
    const [x, y] = [take(queue), take(queue)];
    const events: string[] = [];
    const drained = queue.shutDownWithDrain(new AbortController().signal).then(() => events.push('drained'));
    expect(queue.tryGet()).toBeUndefined();
    queue.done(x, {});
    queue.done(x);
    await Promise.resolve();
    events.push('last is done');
    queue.done(y);
    await drained;
    expect(events).toEqual(['last is done', 'drained']);
  });

  it('WQ-8: shutDownWithDrain rejects when its signal aborts, and resolves at once without requests in progress', async () => {
    const { queue } = setUp();
    queue.add(request('x'));
    take(queue);
    const abort = new AbortController();
    const drained = queue.shutDownWithDrain(abort.signal);
    abort.abort(new Error('enough'));
    await expect(drained).rejects.toThrow('enough');
    await setUp().queue.shutDownWithDrain(abort.signal);
  });

  it('get rejects when its signal aborts, and takes no request', async () => {
    const { queue } = setUp();
    const abort = new AbortController();
    const given = queue.get(abort.signal);
    const other = queue.get();
    abort.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    queue.add(request('x'));
    await expect(other).resolves.toMatchObject({ request: { name: 'x' } });
    await expect(queue.get(abort.signal)).rejects.toThrow('enough');
  });

  it('WQ-11: dropping a cluster drops its waiting and delayed requests and its backoff', async () => {
    const { queue, clock } = setUp();
    queue.add(request('failed'));
    const item = take(queue);
    queue.done(item, { after: 'backoff' });
    queue.add(request('delayed'), { after: 100 });
    queue.add(request('waiting'));
    queue.add(request('low'), { priority: -100 });
    queue.add(request('kept', 'b'));
    queue.add(request('kept later', 'b'), { after: 200 });
    queue.dropCluster('a');
    expect(queue.attempts(item)).toBe(0);
    expect(drain(queue)).toEqual(['kept']);
    await clock.advance(1_000);
    expect(drain(queue)).toEqual(['kept later']);
    queue.dropCluster('b');
    queue.dropCluster('unknown');
    expect(clock.pendingTimers).toBe(0);
  });

  it('WQ-11: requests in progress of a dropped cluster are not added again, nor requests added in the meantime', async () => {
    const { queue, clock } = setUp();
    for (const name of ['x', 'y', 'z']) queue.add(request(name));
    const [x, y, z] = [take(queue), take(queue), take(queue)];
    queue.add(request('x'));
    queue.add(request('y'), { after: 10 });
    queue.dropCluster('a');
    queue.done(x);
    queue.done(y);
    queue.done(z, { after: 'backoff' });
    await clock.advance(1_000);
    expect(drain(queue)).toEqual([]);
    expect(queue.attempts(z)).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('WQ-11: requests of the next engagement of a dropped cluster are accepted, and wait for those still in progress', () => {
    const { queue } = setUp();
    queue.add(request('x'));
    const item = take(queue);
    queue.dropCluster('a');
    queue.add(request('x'));
    expect(queue.tryGet()).toBeUndefined();
    queue.done(item, { after: 1_000 });
    expect(drain(queue)).toEqual(['x']);
  });

  it('refuses a delay or a priority that is not a number', () => {
    const { queue } = setUp();
    expect(() => queue.add(request('x'), { after: NaN })).toThrow(RangeError);
    expect(() => queue.add(request('x'), { priority: NaN })).toThrow(/default\/x in cluster "a"/);
  });
});
