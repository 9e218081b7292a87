import { describe, expect, it, jest } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { CountedEvent } from '../counted-event.fixture.ts';
import { FakeManager } from '../fake-manager.fixture.ts';
import { FakeMember } from '../fake-member.fixture.ts';
import type { ObjectEventInput } from '../event/object-event.ts';
import { enqueueRequestForObject } from '../handler/enqueue-object.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { requestKey } from '../reconcile/request.ts';
import type { AddOptions } from '../workqueue/request-queue.ts';
import { channelSource } from './channel-source.ts';
import { funcSource } from './func-source.ts';
import type { KindSourceOptions } from './kind-source.ts';
import { kindSource } from './kind-source.ts';

function setUp() {
  const added: { readonly key: string; readonly options: AddOptions | undefined }[] = [];
  const fake = new FakeManager();
  const abort = new AbortController();
  const context = {
    queue: {
      add: (request: ReconcileRequest, options?: AddOptions) => void added.push({ key: requestKey(request), options }),
    },
    signal: abort.signal,
    log: fake.logger,
    clock: fake.clock,
  };
  return { added, fake, abort, context };
}

describe('kindSource', () => {
  it('WQ-5: adds requests at priority −100 for the first list and resyncs, and at 0 for changes', async () => {
    const { added, context } = setUp();
    const member = new FakeMember();
    const informer = member.informer(ConfigMap);
    informer.set({ name: 'initial' });
    const source = kindSource(ConfigMap, enqueueRequestForObject());
    const started = await source.start({ ...context, clusterName: 'a', cluster: member });
    informer.sync();
    await started.synced;
    informer.resync();
    informer.set({ name: 'initial' });
    expect(added.map(({ options }) => options?.priority)).toEqual([-100, -100, 0]);
  });

  it.each<[string, (event: unknown) => unknown]>([
    ['at once', () => [{ namespace: '', name: 'y' }]],
    ['asynchronously', async () => [{ namespace: '', name: 'y' }]],
  ])('CT-13: goes on after a handler that returns requests %s, and says what it returned', async (_, handler) => {
    const { added, fake, context } = setUp();
    const member = FakeMember.synced(ConfigMap);
    const informer = member.informer(ConfigMap);
    informer.set({ name: 'x' });
    let isMistaken = true;
    const source = kindSource(ConfigMap, (event, { queue }) => {
      if (isMistaken) return handler(event) as undefined;
      queue.add({ clusterName: event.clusterName, namespace: '', name: event.object.metadata.name });
    });
    const started = await source.start({ ...context, clusterName: 'a', cluster: member });
    await fake.clock.advance(0);
    expect(fake.lines).toMatchObject([
      {
        message: 'failed to handle an event, retrying',
        fields: {
          error: {
            message:
              'event handler of ConfigMap x: expected it to return nothing, found an array: wrap a mapping function in enqueueMapped(map), or call queue.add(request)',
          },
        },
      },
    ]);
    isMistaken = false;
    informer.set({ name: 'z' });
    await fake.clock.advance(2_000);
    expect(added.map(({ key }) => key).sort()).toEqual(['cluster://a/x', 'cluster://a/z']);
    started.stop();
  });

  it('WQ-5: ignores other return values of a handler', async () => {
    const { fake, context } = setUp();
    const member = FakeMember.synced(ConfigMap);
    member.informer(ConfigMap).set({ name: 'x' });
    const seen: unknown[] = [];
    await kindSource(ConfigMap, (event) => seen.push(event) as never).start({
      ...context,
      clusterName: 'a',
      cluster: member,
    });
    expect(seen).toHaveLength(1);
    expect(fake.lines).toEqual([]);
  });

  it('WQ-5: a handler may set the priority', async () => {
    const { added, context } = setUp();
    const member = FakeMember.synced(ConfigMap);
    member.informer(ConfigMap).set({ name: 'x' });
    const source = kindSource(ConfigMap, ({ clusterName, object }, { queue }) =>
      queue.add({ clusterName, namespace: '', name: object.metadata.name }, { priority: 42, after: 5 }),
    );
    await source.start({ ...context, clusterName: 'a', cluster: member });
    expect(added).toEqual([{ key: 'cluster://a/x', options: { priority: 42, after: 5, cause: 'a' } }]);
  });

  it('CT-19: calls an async handler for one event after another, also for resyncs and retries', async () => {
    const { fake, abort, context } = setUp();
    const member = FakeMember.synced(ConfigMap);
    const informer = member.informer(ConfigMap);
    const calls: string[] = [];
    let running = 0;
    let failures = 1;
    const handler = async ({ object: { metadata } }: { object: { metadata: { resourceVersion: string } } }) => {
      expect((running += 1)).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      calls.push(metadata.resourceVersion);
      if (metadata.resourceVersion === '2' && (failures -= 1) >= 0) throw new Error('503');
    };
    const source = kindSource(ConfigMap, handler, { resyncPeriod: 60_000 });
    const started = await source.start({ ...context, clusterName: 'a', cluster: member });
    for (let version = 1; version <= 5; version += 1) informer.set({ name: 'x' });
    while (calls.length < 5) await fake.settle();
    expect(calls).toEqual(['1', '2', '3', '4', '5']);
    informer.set({ name: 'y' });
    await fake.clock.advance(1_000);
    while (calls.length < 7) await fake.settle();
    expect(calls.slice(5).sort()).toEqual(['2', '6']);
    await fake.clock.advance(66_000);
    while (calls.length < 9) await fake.settle();
    expect(calls.slice(7)).toEqual(['5', '6']);

    informer.set({ name: 'x' });
    informer.set({ name: 'x' });
    started.stop();
    abort.abort();
    await fake.settle();
    expect(calls.slice(9)).toEqual(['7']);
  });

  it('CT-19: reports to the informer when an async handler is done, so that the source syncs after it', async () => {
    const { fake, abort, context } = setUp();
    const member = new FakeMember();
    const informer = member.informer(ConfigMap);
    const end = Promise.withResolvers<void>();
    await kindSource(ConfigMap, () => end.promise).start({ ...context, clusterName: 'a', cluster: member });
    let isDone = false;
    const [handler] = informer.handlers;
    const created = new CountedEvent(informer.decodes, informer.set({ name: 'x' }));
    void Promise.resolve(handler?.onAdd?.(created)).then(() => (isDone = true));
    await fake.settle();
    expect(isDone).toBe(false);
    end.resolve();
    await fake.settle();
    expect(isDone).toBe(true);
    abort.abort();
  });

  it('FP-6: resyncs the objects of a cluster at low priority, after each period, until it is stopped', async () => {
    const { added, fake, abort, context } = setUp();
    const member = new FakeMember();
    const informer = member.informer(ConfigMap);
    informer.set({ name: 'x' });
    const source = kindSource(ConfigMap, enqueueRequestForObject(), { resyncPeriod: 60_000 });
    const started = await source.start({ ...context, clusterName: 'a', cluster: member });
    await fake.clock.advance(200_000);
    expect(added).toEqual([]);
    informer.sync();
    await started.synced;
    expect(added.splice(0)).toHaveLength(1);

    await fake.clock.advance(53_999);
    expect(added).toEqual([]);
    await fake.clock.advance(12_001);
    expect(added).toEqual([{ key: 'cluster://a/x', options: { priority: -100, cause: 'a' } }]);
    informer.set({ name: 'y' });
    added.length = 0;
    await fake.clock.advance(66_000);
    expect(added.map(({ key }) => key).sort()).toEqual(['cluster://a/x', 'cluster://a/y']);

    started.stop();
    abort.abort();
    await fake.settle();
    expect(fake.clock.pendingTimers).toBe(0);
  });

  it('FP-6: debounces the requests of its handler, unless the handler sets a delay', async () => {
    const { added, context } = setUp();
    const member = FakeMember.synced(ConfigMap);
    member.informer(ConfigMap).set({ name: 'x' });
    const start = (after?: number) =>
      kindSource(
        ConfigMap,
        ({ clusterName }, { queue }) =>
          queue.add({ clusterName, namespace: '', name: 'x' }, after === undefined ? {} : { after }),
        { debounce: 500 },
      ).start({ ...context, clusterName: 'a', cluster: member });
    await start();
    await start(5);
    expect(added.map(({ options }) => options)).toEqual([
      { priority: -100, after: 500, cause: 'a' },
      { priority: -100, after: 5, cause: 'a' },
    ]);
  });

  it.each([
    [
      { resyncPeriod: 999 },
      'kindSource(ConfigMap): option "resyncPeriod": expected a number of milliseconds of at least 1000, found 999',
    ],
    [{ resyncPeriod: Infinity }, 'option "resyncPeriod"'],
    [{ debounce: -1 }, 'option "debounce"'],
    [{ debounce: NaN }, 'option "debounce"'],
  ])('FP-6: refuses %p', (options, message) => {
    expect(() => kindSource(ConfigMap, enqueueRequestForObject(), options)).toThrow(message);
  });

  it('CT-12: uses the informer of cached reads, unless it has a scope', async () => {
    const { context } = setUp();
    const member = FakeMember.synced(ConfigMap);
    const subscribe = jest.spyOn(member.cache, 'subscribe');
    const start = (options: KindSourceOptions<ConfigMap>) =>
      kindSource(ConfigMap, enqueueRequestForObject(), options).start({
        ...context,
        clusterName: 'a',
        cluster: member,
      });
    await start({ predicates: [() => true] });
    await start({ namespaces: ['shop'] });
    expect(subscribe.mock.calls.map(([, , scope]) => scope)).toEqual([undefined, { namespaces: ['shop'] }]);
  });

  it('S-14: refuses an unknown or wrong option', () => {
    const make = (options: object) => () => kindSource(ConfigMap, enqueueRequestForObject(), options);
    expect(make({ labelselector: 'a=b' })).toThrow(
      'kindSource(ConfigMap): unknown option "labelselector": use only namespaces, labelSelector, fieldSelector, shard, predicates,',
    );
    expect(make({ namespaces: 'shop' })).toThrow('option "namespaces"');
    expect(make({ project: 'name' })).toThrow('option "project": expected a function, found a string');
  });

  it('passes the projected object to predicates and handler', async () => {
    const { added, context } = setUp();
    const member = FakeMember.synced(ConfigMap);
    const source = kindSource(ConfigMap, enqueueRequestForObject(), {
      project: (object) => ({ ...object, metadata: { ...object.metadata, name: `p-${object.metadata.name}` } }),
      predicates: [({ object }) => object.metadata.name === 'p-x'],
    });
    await source.start({ ...context, clusterName: 'a', cluster: member });
    for (const name of ['x', 'y']) member.informer(ConfigMap).set({ name });
    member.informer(ConfigMap).set({ name: 'x' });
    member.informer(ConfigMap).delete({ name: 'x' });
    expect(added.map(({ key }) => key)).toEqual(['cluster://a/p-x', 'cluster://a/p-x', 'cluster://a/p-x']);
  });

  it('CT-17: logs the errors of a handler, and continues', async () => {
    const { context, fake } = setUp();
    const member = FakeMember.synced(ConfigMap);
    const failing = kindSource<ConfigMap>(ConfigMap, ({ object: { metadata } }) => {
      if (metadata.name === 'sync') throw new Error('thrown');
      return Promise.reject(new Error('rejected'));
    });
    const started = await failing.start({ ...context, clusterName: 'a', cluster: member });
    for (const name of ['sync', 'async']) member.informer(ConfigMap).set({ namespace: 'shop', name });
    await fake.settle();
    expect(fake.lines.map(({ level, message, fields }) => [level, message, fields['name'], fields['error']])).toEqual([
      ['error', 'failed to handle an event, retrying', 'sync', new Error('thrown')],
      ['debug', 'failed to handle an event, retrying', 'async', new Error('rejected')],
    ]);
    started.stop();
    expect(member.informer(ConfigMap).handlers.size).toBe(0);
  });
});

describe('channelSource', () => {
  const event = (name: string): ObjectEventInput => ({
    type: 'generic',
    clusterName: 'a',
    object: { apiVersion: 'v1', kind: 'X', metadata: { name, uid: '', resourceVersion: '', creationTimestamp: '' } },
  });

  it('CT-19: reads the next event when the handler of the previous one is done', async () => {
    const { fake, abort, context } = setUp();
    let read = 0;
    async function* events() {
      for (;;) {
        read += 1;
        yield event('x');
      }
    }
    const ends: (() => void)[] = [];
    const handler = () => new Promise<void>((resolve) => ends.push(resolve));
    await channelSource(events(), handler).start(context);
    await fake.settle();
    expect(read).toBe(1);
    ends.shift()?.();
    await fake.settle();
    expect(read).toBe(2);
    abort.abort();
    ends.shift()?.();
    await fake.settle();
    expect(read).toBe(2);
  });

  it('CT-6: handles generic events that pass its predicates, until the signal aborts', async () => {
    const { added, fake, abort, context } = setUp();
    const more = Promise.withResolvers<void>();
    let closed = false;
    async function* events() {
      try {
        yield event('x');
        yield event('hidden');
        await more.promise;
        yield event('too late');
      } finally {
        closed = true;
      }
    }
    const source = channelSource(events(), enqueueRequestForObject(), {
      predicates: [({ object }) => object.metadata.name !== 'hidden'],
    });
    await (
      await source.start(context)
    ).synced;
    await fake.settle();
    abort.abort();
    more.resolve();
    await fake.settle();
    expect(added.map(({ key }) => key)).toEqual(['cluster://a/x']);
    expect(closed).toBe(true);
  });

  it('logs the error of its iterable', async () => {
    const { fake, context } = setUp();
    // eslint-disable-next-line require-yield -- it breaks before its first event.
    async function* events(): AsyncGenerator<ObjectEventInput> {
      throw new Error('broken');
    }
    await channelSource(events(), enqueueRequestForObject()).start(context);
    await fake.settle();
    expect(fake.lines).toMatchObject([{ level: 'error', fields: { error: new Error('broken') } }]);
  });
});

describe('funcSource', () => {
  it('is started with queue and signal, and fails with its function', async () => {
    const { added, context } = setUp();
    await funcSource(({ queue }) => queue.add({ clusterName: 'a', namespace: '', name: 'x' })).start(context);
    expect(added.map(({ key }) => key)).toEqual(['cluster://a/x']);
    const failing = funcSource(() => Promise.reject(new Error('no')));
    await expect(failing.start(context)).rejects.toThrow('no');
  });
});
