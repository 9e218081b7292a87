import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import type { ListOptions } from '../client/client.ts';
import { added, configMap, deleted, initialEventsEnd, modified } from '../reflector/scripted-lister-watcher.fixture.ts';
import type { WatchExchange } from '../reflector/scripted-lister-watcher.fixture.ts';
import { HASH_SPACE } from '../shards/shard-selector.ts';
import { HIGH, LOW, uidsIn } from '../shards/shard.fixture.ts';
import { Shard } from '../shards/shard.ts';
import { cacheKind } from './cache-kind.ts';
import type { Cache } from './cache.ts';
import { createCache } from './create-cache.ts';
import { cacheFixture } from './cache.fixture.ts';
import type { InformerHandler, Subscription } from './informer.ts';
import { SharedInformer } from './shared-informer.ts';

const [lowA = '', lowB = '', lowC = ''] = uidsIn('low', 3);
const [high = ''] = uidsIn('high', 1);
const EVERYTHING = [{ start: 0n, end: HASH_SPACE }];
const a = configMap('a', '1', lowA);
const b = configMap('b', '2', lowB);
const h = configMap('h', '3', high);
const never = new AbortController().signal;

/** Records its calls: `+a` added, `~a` updated, `-a` deleted, `>a` left. */
function recorder(): InformerHandler<ConfigMap> & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    onAdd: ({ key }) => calls.push(`+${key.name}`),
    onUpdate: ({ key }) => calls.push(`~${key.name}`),
    onDelete: ({ key }) => calls.push(`-${key.name}`),
    onLeave: ({ key, object }) => calls.push(`>${key.name}@${object.metadata.resourceVersion}`),
  };
}

/** Counts its listeners. */
class FollowedShard extends Shard {
  followers = 0;

  override onChange(listener: () => void): () => void {
    this.followers += 1;
    const remove = super.onChange(listener);
    return () => {
      this.followers -= 1;
      remove();
    };
  }
}

/** Waits for turns of the event loop until `condition` holds. The test's deadline is the limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('an informer of a shard', () => {
  const fixture = cacheFixture();

  async function subscribed(shard: Shard, handler: InformerHandler<ConfigMap>) {
    const cache = fixture.running();
    const subscription = await cache.subscribe(ConfigMap, handler, { shard });
    const watch = await fixture.answer(ConfigMap, [a, b, h]);
    await subscription.synced;
    return { cache, subscription, watch };
  }

  /** Answers the next watch with these objects, which the server has at `version`. */
  async function relist(version: string, ...objects: ConfigMap[]): Promise<WatchExchange> {
    const watch = await fixture.fake.server(ConfigMap).nextWatch();
    watch.send(...objects.map(added), initialEventsEnd(version));
    return watch;
  }

  const names = ({ informer }: Subscription<ConfigMap>): string[] =>
    Array.from(informer.store.keys(), ({ name }) => name).sort();
  const selectorsOf = (): unknown[] =>
    fixture.fake.requests.map((request) => (request as ListOptions).shardSelector?.ranges);

  it('SH-19: holds only the objects of its ranges, from the list and from the watch', async () => {
    const handler = recorder();
    const { subscription, watch } = await subscribed(new Shard({ field: 'uid', ranges: LOW }), handler);
    expect([names(subscription), handler.calls]).toEqual([
      ['a', 'b'],
      ['+a', '+b'],
    ]);
    watch.send(
      modified(configMap('h', '11', high)),
      added(configMap('c', '12', lowC)),
      deleted(configMap('a', '13', lowA)),
    );
    await until(() => handler.calls.length >= 4);
    expect([names(subscription), handler.calls.slice(2)]).toEqual([
      ['b', 'c'],
      ['+c', '-a'],
    ]);
  });

  it('SH-19: an object that leaves with its range is not deleted, and one that comes is added', async () => {
    const handler = recorder();
    const shard = new Shard({ field: 'uid', ranges: LOW });
    const { subscription, watch } = await subscribed(shard, handler);
    shard.update(HIGH);
    // `b` has been deleted meanwhile, which no longer matters here.
    await relist('20', a, h);
    await until(() => handler.calls.length >= 5);
    expect(handler.calls.slice(2)).toEqual(['+h', '>a@1', '>b@2']);
    expect(names(subscription)).toEqual(['h']);
    expect(watch.request.signal.aborted).toBe(true);
    expect(selectorsOf()).toEqual([LOW, HIGH]);
  });

  it('SH-19: an object of a kept range that is not listed any more was deleted', async () => {
    const handler = recorder();
    const shard = new Shard({ field: 'uid', ranges: EVERYTHING });
    const { subscription } = await subscribed(shard, handler);
    shard.update(LOW);
    await relist('20', a);
    await until(() => handler.calls.length >= 5);
    expect(handler.calls.slice(3).sort()).toEqual(['-b', '>h@3']);
    expect(names(subscription)).toEqual(['a']);
  });

  it('SH-19: ranges that change during a list replace it before it is used', async () => {
    const handler = recorder();
    const shard = new Shard({ field: 'uid', ranges: LOW });
    const { subscription } = await subscribed(shard, handler);
    shard.update(HIGH);
    const unfinished = await fixture.fake.server(ConfigMap).nextWatch();
    unfinished.send(added(h));
    shard.update(LOW);
    await relist('20', a, b, h);
    expect(unfinished.request.signal.aborted).toBe(true);
    shard.update(EVERYTHING);
    await relist('21', a, b, h);
    await until(() => handler.calls.length >= 3);
    expect([handler.calls, names(subscription)]).toEqual([
      ['+a', '+b', '+h'],
      ['a', 'b', 'h'],
    ]);
    expect(selectorsOf()).toEqual([LOW, HIGH, LOW, undefined]);
  });

  it('SH-19: ranges that change when a list is used do not change what the list means', async () => {
    const handler = recorder();
    const shard = new Shard({ field: 'uid', ranges: EVERYTHING });
    const cache = fixture.running();
    const informer = await cache.informer(ConfigMap, { shard });
    informer.addHandler(handler);
    await relist('10', a, h);
    await informer.waitForSync(never);
    shard.update(LOW);
    if (!(informer instanceof SharedInformer)) throw new Error('expected an informer of all namespaces');
    informer.onProgress(() => shard.update(EVERYTHING));
    await relist('20', a);
    await relist('21', a, h);
    await until(() => handler.calls.length >= 4);
    expect(handler.calls).toEqual(['+a', '+h', '>h@3', '+h']);
  });

  it('uses ranges that changed before the cache ran', async () => {
    const shard = new Shard({ field: 'uid', ranges: LOW });
    const cache = createCache({ client: fixture.fake.client, clock: fixture.clock, random: () => 0 });
    const informer = await cache.informer(ConfigMap, { shard });
    shard.update(HIGH);
    fixture.runs.push(cache.run(fixture.stop.signal));
    await relist('20', a, h);
    await informer.waitForSync(never);
    expect(Array.from(informer.store.keys(), ({ name }) => name)).toEqual(['h']);
    expect(selectorsOf()).toEqual([HIGH]);
  });

  it('answers reads of a kind from its shard', async () => {
    const shard = new Shard({ field: 'uid', ranges: LOW });
    const [cache] = await fixture.holding([a, h], { byKind: [{ kind: ConfigMap, shard }] });
    const { items } = await cache.list(ConfigMap);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a']);
  });

  it('a read after a write of an object outside of the shard does not wait for it', async () => {
    const shard = new Shard({ field: 'uid', ranges: LOW });
    const [cache] = await fixture.holding([a, h], { shard });
    cache.expectWrite(ConfigMap, configMap('h', '30', high));
    expect(await cache.find(ConfigMap, { namespace: 'default', name: 'h' })).toBeUndefined();
    cache.expectWrite(ConfigMap, configMap('a', '31', lowA));
    const read = cache.find(ConfigMap, { namespace: 'default', name: 'a' }, { timeout: 50 });
    const refused = expect(read).rejects.toThrow('the version');
    await fixture.clock.advance(50);
    await refused;
  });

  it('a stopped informer does not follow its shard', async () => {
    const shard = new FollowedShard({ field: 'uid', ranges: LOW });
    await subscribed(shard, recorder());
    expect(shard.followers).toBe(1);
    fixture.stop.abort();
    await Promise.all(fixture.runs);
    expect(shard.followers).toBe(0);
  });

  it('informers share a watch only if they have the same shard', async () => {
    const shard = new Shard({ field: 'uid', ranges: LOW });
    const cache: Cache = fixture.running();
    const informers = [
      await cache.informer(ConfigMap, { shard }),
      await cache.informer(ConfigMap, { shard }),
      await cache.informer(ConfigMap, { shard: new Shard({ field: 'uid', ranges: LOW }) }),
      await cache.informer(ConfigMap),
    ];
    expect(new Set(informers).size).toBe(3);
    await expect(cache.informer(ConfigMap, { shard: Object({ id: 1 }) as Shard })).rejects.toThrow('expected a Shard');
    for (let watch = 0; watch < 3; watch += 1) await fixture.answer(ConfigMap, []);
    await Promise.all(informers.map((informer) => informer.waitForSync(never)));
  });

  it('transforms only the objects of the shard', async () => {
    const seen: string[] = [];
    const shard = new Shard({ field: 'uid', ranges: LOW });
    const transform = (object: ConfigMap): ConfigMap => {
      seen.push(object.metadata.name);
      return object;
    };
    await fixture.holding([a, h, b], { shard, byKind: [cacheKind(ConfigMap, { transform })] });
    expect(seen).toEqual(['a', 'b']);
  });
});
