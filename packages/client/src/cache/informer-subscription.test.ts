import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { configMap } from '../reflector/scripted-lister-watcher.fixture.ts';
import type { Cache } from './cache.ts';
import { cacheFixture } from './cache.fixture.ts';
import { createCache } from './create-cache.ts';

describe('an informer with subscriptions', () => {
  const test = cacheFixture();
  const { running, answer } = test;

  const subscribed = async (cache: Cache, calls: string[] = []) => {
    const subscription = await cache.subscribe(ConfigMap, { onAdd: ({ key }) => calls.push(key.name) });
    return { calls, subscription };
  };

  it('CT-3: stops a minute after its last subscriber has left, and frees its memory', async () => {
    const cache = running();
    const [first, second] = [await subscribed(cache), await subscribed(cache)];
    const watch = await answer(ConfigMap, [configMap('a', '3')]);
    await second.subscription.synced;
    expect([...first.calls, ...second.calls]).toEqual(['a', 'a']);
    expect(second.subscription.hasSynced).toBe(true);
    first.subscription.remove();
    first.subscription.remove();
    await test.clock.advance(60_000);
    expect(watch.request.signal.aborted).toBe(false);
    second.subscription.remove();
    await test.clock.advance(59_999);
    expect(watch.request.signal.aborted).toBe(false);
    await test.clock.advance(1);
    expect(watch.request.signal.aborted).toBe(true);

    // The next one starts from scratch.
    const third = await subscribed(cache);
    await answer(ConfigMap, [configMap('b', '4')]);
    await third.subscription.synced;
    expect(third.calls).toEqual(['b']);
  });

  it('CT-3: starts no timer in a cache that does not run', async () => {
    const cache = createCache({ client: test.fake.client, clock: test.clock });
    const { subscription } = await subscribed(cache);
    subscription.remove();
    expect(test.clock.pendingTimers).toBe(0);
  });

  it('CT-3: continues for a subscriber that comes within the minute', async () => {
    const cache = running();
    (await subscribed(cache)).subscription.remove();
    const watch = await answer(ConfigMap, [configMap('a', '3')]);
    await test.clock.advance(59_999);
    const { calls, subscription } = await subscribed(cache);
    await subscription.synced;
    await test.clock.advance(60_000);
    expect(calls).toEqual(['a']);
    expect(watch.request.signal.aborted).toBe(false);
  });

  it.each<[string, (cache: Cache) => Promise<unknown>, boolean]>([
    ['was requested itself', (cache) => cache.informer(ConfigMap), true],
    ['was created for reads', (cache) => cache.list(ConfigMap), true],
    ['was read while it had subscribers', (cache) => Promise.resolve(cache), false],
  ])('CT-3: an informer that %s is kept: %3$s', async (_, use, isKept) => {
    const cache = running();
    const used = use(cache);
    const { subscription } = await subscribed(cache);
    const watch = await answer(ConfigMap, [configMap('a', '3')]);
    await used;
    await cache.get(ConfigMap, { namespace: 'default', name: 'a' });
    subscription.remove();
    await test.clock.advance(60_000);
    expect(watch.request.signal.aborted).toBe(!isKept);
  });

  it('CT-3: an informer that is read after its last subscriber has left is kept', async () => {
    const cache = running();
    const { subscription } = await subscribed(cache);
    const watch = await answer(ConfigMap, [configMap('a', '3')]);
    await subscription.synced;
    subscription.remove();
    await cache.list(ConfigMap);
    await test.clock.advance(60_000);
    expect(watch.request.signal.aborted).toBe(false);
  });

  it('CT-3: leaves no timer when the cache stops', async () => {
    const cache = running();
    const [left, stays] = [await subscribed(cache), await subscribed(cache)];
    left.subscription.remove();
    const timers = test.clock.pendingTimers;
    stays.subscription.remove();
    expect(test.clock.pendingTimers).toBe(timers + 1);
    test.stop.abort();
    await Promise.all(test.runs);
    expect(test.clock.pendingTimers).toBe(0);
    stays.subscription.remove();
    expect(test.clock.pendingTimers).toBe(0);
  });
});
