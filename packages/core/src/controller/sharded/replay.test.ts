import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { getEventListeners } from 'node:events';
import { FakeMember } from '../fake-member.fixture.ts';
import { enqueueRequestForObject } from '../handler/enqueue-object.ts';
import type { EventHandler } from '../handler/event-handler.ts';
import { replay } from './replay.ts';
import { kindSource } from '../source/kind-source.ts';

describe('replay', () => {
  let clock: VirtualClock;
  let member: FakeMember;
  let end: AbortController;
  let names: string[];
  beforeEach(() => {
    clock = new VirtualClock();
    member = new FakeMember();
    end = new AbortController();
    names = [];
    for (const name of ['x', 'y']) member.informer(ConfigMap).set({ namespace: 'default', name });
  });
  afterEach(() => {
    expect([member.informer(ConfigMap).handlers.size, clock.pendingTimers]).toEqual([0, 0]);
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  });
  const start = (handler: EventHandler<ConfigMap> = enqueueRequestForObject()) =>
    replay({
      source: kindSource(ConfigMap, handler),
      clusterName: 'a',
      cluster: member,
      clock,
      signal: end.signal,
      queue: { add: ({ name }) => void names.push(name) },
      timeout: 10_000,
    });

  it('SH-10: delivers each object once, and then nothing', async () => {
    member.informer(ConfigMap).sync();
    await start();
    member.informer(ConfigMap).set({ namespace: 'default', name: 'z' });
    expect(names).toEqual(['x', 'y']);
  });

  const failing =
    (isFailing: () => boolean): EventHandler<ConfigMap> =>
    (event, context) => {
      if (event.key.name === 'x' && isFailing()) throw new Error('not mapped');
      return enqueueRequestForObject()(event, context);
    };

  it('SH-10: rejects if an object cannot be handled, after all others were', async () => {
    member.informer(ConfigMap).sync();
    const delivered = expect(start(failing(() => true))).rejects.toThrow(
      'objects of v1 ConfigMap could not be handled: not mapped',
    );
    await clock.advance(5_000);
    await delivered;
    expect(names).toEqual(['y']);
  });

  it('SH-10: retries only the objects that were not handled', async () => {
    member.informer(ConfigMap).sync();
    let calls = 0;
    const delivered = start(failing(() => (calls += 1) < 3));
    await clock.advance(5_000);
    await delivered;
    expect(names).toEqual(['y', 'x']);
  });

  it('SH-10: rejects at its deadline if the source does not sync', async () => {
    const delivered = expect(start()).rejects.toThrow('v1 ConfigMap was not delivered again within 10000 ms');
    await clock.advance(10_000);
    await delivered;
  });

  it('SH-10: stops a source that starts after the deadline', async () => {
    const prepared = Promise.withResolvers<EventHandler<ConfigMap>>();
    const handler = Object.assign(enqueueRequestForObject(), { prepare: () => prepared.promise });
    const delivered = expect(start(handler)).rejects.toThrow('was not delivered again');
    await clock.advance(10_000);
    await delivered;
    member.informer(ConfigMap).sync();
    prepared.resolve(enqueueRequestForObject());
    await clock.advance(0);
    expect(names).toEqual([]);
  });

  it('SH-10: ends without an error when the source that it repeats stops', async () => {
    const delivered = start();
    await clock.advance(1);
    end.abort();
    await delivered;
    await start();
    expect(names).toEqual([]);
  });
});
