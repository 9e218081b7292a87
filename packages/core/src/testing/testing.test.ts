import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { ReconcileRequest } from '../controller/reconcile/request.ts';
import { eventually } from './eventually.ts';
import { InMemoryCluster } from './in-memory-cluster.ts';
import { RequestRecorder } from './request-recorder.ts';

const key = { namespace: 'shop', name: 'cart' };
const request: ReconcileRequest = { clusterName: 'eu-1', ...key };

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('eventually', () => {
  it('resolves with the result of the condition once it is not false, and polls by the clock', async () => {
    const clock = new VirtualClock();
    let looks = 0;
    const value = eventually(() => ++looks === 4 && 'there', { clock, interval: 100 });
    await clock.advance(200);
    expect(looks).toBe(3);
    await clock.advance(100);
    expect(await value).toBe('there');
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits for an object with get, and ends at once for the undefined of find', async () => {
    const { client } = new InMemoryCluster();
    expect(await eventually(() => client.find(ConfigMap, key))).toBeUndefined();
    const created = eventually(() => client.get(ConfigMap, key));
    await client.create(ConfigMap, { metadata: key });
    expect((await created).metadata.name).toBe('cart');
    await client.delete(ConfigMap, key);
    await eventually(async () => (await client.find(ConfigMap, key)) === undefined);
  });

  it('polls a condition that throws, and reports its error after the deadline', async () => {
    const clock = new VirtualClock();
    const failed = failureOf(eventually(() => expect(1).toBe(2), { clock, deadline: 1_000 }));
    await clock.advance(1_000);
    const error = (await failed) as Error;
    expect(error.message).toMatch(/^it did not hold within 1000 ms: .*expect/s);
    expect((error.cause as Error).message).toContain('toBe');
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits for 30 s by default', async () => {
    const clock = new VirtualClock();
    const failed = failureOf(eventually(() => false, { clock }));
    await clock.advance(29_900);
    expect(clock.pendingTimers).toBe(2);
    await clock.advance(100);
    expect(((await failed) as Error).message).toBe('it did not hold within 30000 ms: the condition is false');
  });

  it('does not wait for a condition that hangs, or after an abort', async () => {
    const clock = new VirtualClock();
    const hanging = failureOf(eventually(() => new Promise<void>(() => undefined), { clock, deadline: 10 }));
    await clock.advance(20);
    expect((await hanging) as Error).toMatchObject({ message: 'it did not hold within 10 ms: the condition is false' });

    const end = new AbortController();
    const ended = failureOf(eventually(() => false, { clock, signal: end.signal }));
    end.abort(new Error('enough'));
    await clock.advance(10);
    expect(await ended).toEqual(new Error('enough'));
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  });

  it('works with the system clock', async () => {
    const started = performance.now();
    expect(await eventually(() => performance.now() - started > 20 && 'late', { interval: 1 })).toBe('late');
  });
});

describe('RequestRecorder', () => {
  const context = new InMemoryCluster().context();

  it('records successful and failed requests, and finds past and future ones', async () => {
    const recorder = new RequestRecorder({
      reconciler: async ({ name }) => {
        if (name === 'bad') throw new Error('bad');
        return { requeueAfter: 5 };
      },
    });
    const coming = recorder.waitFor({ name: 'bad' });
    expect(await recorder.reconcile(request, context)).toEqual({ requeueAfter: 5 });
    await expect(recorder.reconcile({ ...request, name: 'bad' }, context)).rejects.toThrow('bad');
    expect((await coming).clusterName).toBe('eu-1');
    expect(await recorder.waitFor({ clusterName: 'eu-1', name: 'cart' })).toEqual(request);
    expect(recorder.requests).toHaveLength(2);
    recorder.clear();
    expect(recorder.requests).toEqual([]);
  });

  it('lists the recorded requests after the deadline', async () => {
    const clock = new VirtualClock();
    const recorder = new RequestRecorder({ clock });
    await recorder.reconcile(request, context);
    const failed = failureOf(recorder.waitFor({ clusterName: 'us-1' }, { deadline: 50 }));
    await clock.advance(50);
    expect(((await failed) as Error).message).toBe(
      `no request {"clusterName":"us-1"} within 50 ms; recorded: ${JSON.stringify(request)}`,
    );
    await recorder.waitFor({ name: 'cart' });
    expect(clock.pendingTimers).toBe(0);
    const patient = failureOf(recorder.waitFor({ clusterName: 'us-1' }));
    await clock.advance(29_999);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1);
    expect(((await patient) as Error).message).toContain('within 30000 ms');
  });
});
