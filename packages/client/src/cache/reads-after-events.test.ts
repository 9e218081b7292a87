import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import type { Kind } from '../kinds/kind.ts';
import { partialMetadata } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import {
  added,
  bookmark,
  configMap,
  deleted,
  errorEvent,
  initialEventsEnd,
  modified,
} from '../reflector/scripted-lister-watcher.fixture.ts';
import type { WatchExchange } from '../reflector/scripted-lister-watcher.fixture.ts';
import type { CacheOptions } from './cache-options.ts';
import type { Cache, InformerScope } from './cache.ts';
import { createCache } from './create-cache.ts';
import { FakeClient } from './fake-client.fixture.ts';

const key = { namespace: 'default', name: 'a' };
const scope: InformerScope = { labelSelector: 'app=shop' };

describe('a read after an event of another informer of the kind', () => {
  let clock: VirtualClock;
  let fake: FakeClient;
  let stop: AbortController;
  let cache: Cache;
  let run: Promise<void>;

  beforeEach(() => {
    clock = new VirtualClock();
    fake = new FakeClient();
    stop = new AbortController();
  });

  afterEach(async () => {
    stop.abort();
    await run;
    expect(clock.pendingTimers).toBe(0);
  });

  function start(options: Partial<CacheOptions> = {}): void {
    cache = createCache({ client: fake.client, clock, random: () => 0, ...options });
    run = cache.run(stop.signal);
  }

  /** Starts the informer of a scope at version 10, with `a` at version 3. */
  async function follow(kind: Kind<KubernetesObject>, of?: InformerScope, namespace?: string): Promise<WatchExchange> {
    const informer = await cache.informer(kind, of);
    const watch = await fake.server(kind, namespace).nextWatch();
    watch.send(added(configMap('a', '3')), initialEventsEnd('10'));
    await clock.advance(0);
    expect(informer.staleFor()).toBe(0);
    return watch;
  }

  /** Returns the result of a read, or `waits` if it is pending. */
  async function settled<T>(read: Promise<T>): Promise<T | 'waits'> {
    await clock.advance(0);
    return Promise.race([read, Promise.resolve<'waits'>('waits')]);
  }

  const find = async (name = 'a', kind: Kind<KubernetesObject> = ConfigMap) =>
    (await cache.find(kind, { ...key, name }))?.metadata.resourceVersion;
  const list = async () => (await cache.list(ConfigMap)).items.map(({ metadata }) => metadata.resourceVersion);

  it('waits for the state of the event', async () => {
    start();
    const [reads, events] = [await follow(ConfigMap), await follow(ConfigMap, scope)];
    const seen: Promise<unknown>[] = [];
    await cache.subscribe(ConfigMap, { onUpdate: () => seen.push(find(), list()) }, scope);
    await clock.advance(0);

    events.send(modified(configMap('a', '12')));
    await clock.advance(0);
    expect(seen).toHaveLength(2);
    expect(await settled(Promise.race(seen))).toBe('waits');
    reads.send(modified(configMap('a', '11')));
    expect(await settled(Promise.race(seen))).toBe('waits');
    reads.send(modified(configMap('a', '12')));
    expect(await Promise.all(seen)).toEqual(['12', ['12']]);
  });

  it('does not wait if the state has been read', async () => {
    start();
    const [reads, events] = [await follow(ConfigMap), await follow(ConfigMap, scope)];
    reads.send(modified(configMap('a', '12')));
    await clock.advance(0);
    events.send(modified(configMap('a', '12')));
    await clock.advance(0);
    expect(await settled(find())).toBe('12');
  });

  it('does not wait for events that follow its beginning', async () => {
    start();
    const [reads, events] = [await follow(ConfigMap), await follow(ConfigMap, scope)];
    events.send(modified(configMap('a', '12')));
    await clock.advance(0);
    const read = list();
    events.send(modified(configMap('a', '13')));
    expect(await settled(read)).toBe('waits');
    reads.send(modified(configMap('a', '12')));
    expect(await settled(read)).toEqual(['12']);
    expect(await settled(list())).toBe('waits');
    reads.send(modified(configMap('a', '13')));
    await clock.advance(0);
    expect(await settled(list())).toEqual(['13']);
  });

  it('waits for a deletion, and for an object that left the scope of the event', async () => {
    start();
    const [reads, events] = [await follow(ConfigMap), await follow(ConfigMap, scope)];
    events.send(deleted(configMap('a', '12')));
    await clock.advance(0);
    const left = find();
    expect(await settled(left)).toBe('waits');
    reads.send(modified(configMap('a', '12')));
    expect(await settled(left)).toBe('12');

    events.send(added(configMap('a', '13')), deleted(configMap('a', '14')));
    await clock.advance(0);
    const gone = find();
    reads.send(modified(configMap('a', '13')));
    expect(await settled(gone)).toBe('waits');
    reads.send(deleted(configMap('a', '14')));
    await clock.advance(0);
    expect(await settled(gone)).toBeUndefined();
  });

  it('waits for a deletion that the other informer found in a later list', async () => {
    start();
    const [reads, events] = [await follow(ConfigMap), await follow(ConfigMap, scope)];
    events.send(errorEvent(410, 'Expired'));
    const relist = await fake.server(ConfigMap).nextWatch();
    relist.send(initialEventsEnd('15'));
    await clock.advance(0);
    const read = find();
    expect(await settled(read)).toBe('waits');
    expect(await settled(find('b'))).toBeUndefined();
    reads.send(deleted(configMap('a', '12')));
    await clock.advance(0);
    expect(await settled(read)).toBeUndefined();
  });

  it('F-9: does not wait for the events of a restored server, nor after its own server was restored', async () => {
    start();
    const [reads, events] = [await follow(ConfigMap), await follow(ConfigMap, scope)];
    events.send(modified(configMap('a', '12')));
    await clock.advance(0);
    const read = find();
    events.send(errorEvent(410, 'Expired'));
    const relisted = await fake.server(ConfigMap).nextWatch();
    relisted.send(initialEventsEnd('5'));
    reads.send(errorEvent(410, 'Expired'));
    expect(await settled(read)).toBe('waits');
    const restored = await fake.server(ConfigMap).nextWatch();
    restored.send(added(configMap('a', '2')), initialEventsEnd('5'));
    await clock.advance(0);
    expect(await settled(read)).toBe('2');
    expect(await settled(find())).toBe('2');
  });

  it('forgets a version that the server does not send', async () => {
    const lines: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (message, fields) => lines.push([message, fields]),
      child: () => logger,
    };
    start({ logger });
    const [reads, events] = [await follow(ConfigMap), await follow(ConfigMap, scope)];
    events.send(modified(configMap('a', '99999999999999999999')));
    cache.expectWrite(ConfigMap, configMap('a', '88888888888888888888'));
    await clock.advance(0);
    const read = find().catch((error: unknown) => (error as Error).name);
    for (const version of ['20', '30']) reads.send(bookmark(version));
    expect(await settled(read)).toBe('waits');
    await clock.advance(30_000);
    expect(await settled(read)).toBe('CacheNotSyncedError');
    reads.send(bookmark('40'));
    await clock.advance(0);
    expect(await settled(find())).toBe('3');
    expect(await settled(list())).toEqual(['3']);
    expect(lines).toEqual([
      [
        'the server has not sent versions that it announced, reading without them',
        { versions: '88888888888888888888, 99999999999999999999' },
      ],
    ]);
  });

  it('does not wait for objects outside the scope of reads', async () => {
    start({ labelSelector: 'app=other' });
    const [reads, events] = [await follow(ConfigMap), await follow(ConfigMap, scope)];
    events.send(added(configMap('b', '12')));
    await clock.advance(0);
    expect(await settled(find('b'))).toBeUndefined();
    events.send(modified(configMap('a', '13')));
    await clock.advance(0);
    const left = find();
    expect(await settled(left)).toBe('waits');
    reads.send(deleted(configMap('a', '13')));
    await clock.advance(0);
    expect(await settled(left)).toBeUndefined();
  });

  it.each([[['default']], [['default', 'shop']]])(
    'waits only in the namespace of the event, of %j',
    async (namespaces) => {
      start({ namespaces });
      const reads = await follow(ConfigMap, undefined, 'default');
      if (namespaces.includes('shop')) (await fake.server(ConfigMap, 'shop').nextWatch()).send(initialEventsEnd('10'));
      const events = await follow(ConfigMap, { namespaces: [''] });
      const { metadata, ...rest } = configMap('b', '12');
      events.send(added({ ...rest, metadata: { ...metadata, namespace: 'elsewhere' } }));
      await clock.advance(0);
      expect(await settled(list())).toEqual(['3']);
      cache.expectWrite(ConfigMap, { ...rest, metadata: { ...metadata, namespace: 'elsewhere' } });
      expect(await settled(list())).toEqual(['3']);
      events.send(modified(configMap('a', '13')));
      await clock.advance(0);
      const read = list();
      expect(await settled(read)).toBe('waits');
      reads.send(modified(configMap('a', '13')));
      expect(await settled(read)).toEqual(['13']);
    },
  );

  it('waits in the cache of the objects for events of their metadata, and the other way round', async () => {
    start();
    const metadata = partialMetadata(ConfigMap);
    const [objects, metadataOnly] = [await follow(ConfigMap), await follow(metadata)];
    metadataOnly.send(modified(configMap('a', '12')));
    await clock.advance(0);
    const read = find();
    expect(await settled(read)).toBe('waits');
    objects.send(modified(configMap('a', '12')), modified(configMap('a', '13')));
    expect(await settled(read)).toBe('13');
    const other = find('a', metadata);
    expect(await settled(other)).toBe('waits');
    metadataOnly.send(modified(configMap('a', '13')));
    expect(await settled(other)).toBe('13');
  });

  it('no longer waits for an informer that was released', async () => {
    start();
    await follow(ConfigMap);
    const subscription = await cache.subscribe(ConfigMap, { onAdd: () => undefined }, scope);
    const events = await fake.server(ConfigMap).nextWatch();
    events.send(initialEventsEnd('10'));
    subscription.remove();
    await clock.advance(60_000);
    expect(await settled(find())).toBe('3');
    cache.removeInformer(ConfigMap);
    const again = await follow(ConfigMap);
    again.send(modified(configMap('a', '14')));
    await clock.advance(0);
    expect(await settled(find())).toBe('14');
  });
});
