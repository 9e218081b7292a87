import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import { added, initialEventsEnd } from '../reflector/scripted-lister-watcher.fixture.ts';
import type { WatchExchange } from '../reflector/scripted-lister-watcher.fixture.ts';
import type { CacheOptions } from './cache-options.ts';
import type { Cache } from './cache.ts';
import { createCache } from './create-cache.ts';
import { FakeClient } from './fake-client.fixture.ts';

const never = new AbortController().signal;

/**
 * Creates caches of a {@link FakeClient}. Stops them after each test, and checks that no timer and no listener is left.
 */
export function cacheFixture() {
  let clock: VirtualClock;
  let fake: FakeClient;
  let stop: AbortController;
  let runs: Promise<void>[];

  beforeEach(() => {
    clock = new VirtualClock();
    fake = new FakeClient();
    stop = new AbortController();
    runs = [];
  });

  afterEach(async () => {
    stop.abort();
    await Promise.all(runs);
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });

  function running(options: Partial<CacheOptions> = {}): Cache {
    const cache = createCache({ client: fake.client, clock, clusterName: 'eu-1', random: () => 0, ...options });
    runs.push(cache.run(stop.signal));
    return cache;
  }

  async function answer(kind: Parameters<FakeClient['server']>[0], objects: ConfigMap[] = [], namespace?: string) {
    const watch = await fake.server(kind, namespace).nextWatch();
    watch.send(...objects.map(added), initialEventsEnd('10'));
    return watch;
  }

  /** Returns a running cache that has synced these ConfigMaps. */
  async function holding(objects: ConfigMap[], options?: Partial<CacheOptions>): Promise<[Cache, WatchExchange]> {
    const cache = running(options);
    const informer = await cache.informer(ConfigMap);
    const watch = await answer(ConfigMap, objects);
    await informer.waitForSync(never);
    return [cache, watch];
  }

  return {
    get clock() {
      return clock;
    },
    get fake() {
      return fake;
    },
    /** The running caches. */
    get runs() {
      return runs;
    },
    /** Stops the running caches. */
    get stop() {
      return stop;
    },
    running,
    answer,
    holding,
  };
}
