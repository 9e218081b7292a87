import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import type { DeepReadonly } from '../kinds/object.ts';
import type { Logger, LogFields } from '../log/logger.ts';
import { ListSlots } from '../reflector/list-slots.ts';
import {
  added,
  bookmark,
  configMap,
  deleted,
  errorEvent,
  initialEventsEnd,
  modified,
  ScriptedListerWatcher,
} from '../reflector/scripted-lister-watcher.fixture.ts';
import type { WatchExchange } from '../reflector/scripted-lister-watcher.fixture.ts';
import { PackedStore } from '../store/packed-store.ts';
import type { InformerHandler, Registration } from './informer.ts';
import { SharedInformer } from './shared-informer.ts';

/**
 * Records its calls: `+a@1` added, `+a@1!` initially, `a@1>2` updated, `-a@2` deleted, `-a@2?` deletion missed, `>a@2`
 * left.
 */
function recorder(): Required<InformerHandler<ConfigMap>> & { readonly calls: string[] } {
  const calls: string[] = [];
  const text = ({ metadata }: DeepReadonly<ConfigMap>) => `${metadata.name}@${metadata.resourceVersion}`;
  return {
    calls,
    onAdd: ({ object, initial }) => calls.push(`+${text(object)}${initial ? '!' : ''}`),
    onUpdate: ({ oldObject, metadata }) => calls.push(`${text(oldObject)}>${metadata.resourceVersion}`),
    onDelete: ({ object, finalStateUnknown }) => calls.push(`-${text(object)}${finalStateUnknown ? '?' : ''}`),
    onLeave: ({ object }) => calls.push(`>${text(object)}`),
  };
}

/** Waits for turns of the event loop until `condition` holds. The test's deadline is the limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('SharedInformer', () => {
  let clock: VirtualClock;
  let server: ScriptedListerWatcher;
  let informer: SharedInformer<ConfigMap>;
  let stop: AbortController;
  let run: Promise<void>;
  let errors: (LogFields | undefined)[];
  /** Called for each line. */
  let log: () => void;

  const logger: Logger = {
    debug: () => log(),
    info: () => log(),
    warn: () => log(),
    error: (_, fields) => {
      errors.push(fields);
      log();
    },
    child: () => logger,
  };

  beforeEach(() => {
    errors = [];
    log = () => undefined;
    clock = new VirtualClock();
    server = new ScriptedListerWatcher();
    informer = new SharedInformer<ConfigMap>({
      listerWatcher: server,
      store: { kind: ConfigMap, freeze: true },
      listSlots: new ListSlots({ clock }),
      clock,
      logger,
      random: () => 0,
    });
    stop = new AbortController();
    run = informer.run(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await run;
    expect(clock.pendingTimers).toBe(0);
  });

  /** Returns the first watch after the informer has received `objects` as its initial ones. */
  async function synced(...objects: ConfigMap[]): Promise<WatchExchange> {
    const watch = await server.nextWatch();
    watch.send(...objects.map(added), initialEventsEnd('10'));
    await informer.waitForSync(stop.signal);
    return watch;
  }

  /** Sends events, and waits until the handlers have received them. The last event must have its own version. */
  async function send(watch: WatchExchange, ...events: Parameters<WatchExchange['send']>): Promise<void> {
    watch.send(...events);
    const last = events.at(-1)?.object as { metadata: { resourceVersion: string } };
    await until(() => informer.lastSyncedResourceVersion === last.metadata.resourceVersion);
  }

  it('notifies of the initial objects, then of each change', async () => {
    const handler = recorder();
    const registration = informer.addHandler(handler);
    const watch = await synced(configMap('a', '1'), configMap('b', '2'));
    await send(watch, modified(configMap('a', '11')), deleted(configMap('b', '12')), added(configMap('c', '13')));
    expect(handler.calls).toEqual(['+a@1!', '+b@2!', 'a@1>11', '-b@12', '+c@13']);
    expect(registration.hasSynced).toBe(true);
    expect(informer.hasSynced).toBe(true);
  });

  it('stores a change before it notifies of it', async () => {
    const seen: unknown[] = [];
    const read = () => seen.push(informer.store.get({ namespace: 'default', name: 'a' })?.metadata.resourceVersion);
    informer.addHandler({ onAdd: read, onUpdate: read, onDelete: read });
    const watch = await synced(configMap('a', '1'));
    await send(watch, modified(configMap('a', '11')), deleted(configMap('a', '12')));
    expect(seen).toEqual(['1', '11', undefined]);
  });

  it('has the version of a change when it notifies of it', async () => {
    const seen: string[] = [];
    const read = ({ object }: { readonly object: DeepReadonly<ConfigMap> }) => {
      seen.push(`${object.metadata.name}@${object.metadata.resourceVersion}: ${informer.lastSyncedResourceVersion}`);
    };
    informer.addHandler({ onAdd: read, onUpdate: read, onDelete: read });
    const watch = await synced(configMap('a', '1'), configMap('b', '2'));
    await send(watch, modified(configMap('a', '11')), deleted(configMap('b', '12')), added(configMap('c', '13')));
    expect(seen).toEqual(['a@1: 10', 'b@2: 10', 'a@11: 11', 'b@12: 12', 'c@13: 13']);
    watch.send(bookmark('20'));
    await until(() => informer.lastSyncedResourceVersion === '20');
  });

  it('never exposes a part of the initial objects', async () => {
    const watch = await server.nextWatch();
    watch.send(added(configMap('a', '1')));
    await clock.advance(0);
    expect(informer.store.size).toBe(0);
    expect(informer.hasSynced).toBe(false);
    watch.send(added(configMap('b', '2')), initialEventsEnd('10'));
    await informer.waitForSync(stop.signal);
    expect(informer.store.size).toBe(2);
  });

  it('F-2: an interrupted list has no effect', async () => {
    const broken = await server.nextWatch();
    broken.send(added(configMap('gone', '1')));
    broken.fail(new Error('connection reset'));
    await clock.advance(800);
    await synced(configMap('a', '1'));
    expect(informer.store.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
  });

  it('F-21: includes changes and deletions among the initial events', async () => {
    const watch = await server.nextWatch();
    const initial = [added(configMap('a', '3')), added(configMap('b', '4'))];
    watch.send(...initial, modified(configMap('a', '5')), deleted(configMap('b', '6')), initialEventsEnd('10'));
    await informer.waitForSync(stop.signal);
    expect(informer.store.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)).toEqual([
      'a@5',
    ]);
  });

  it('F-5: serves the old objects while it lists again, and notifies of missed changes', async () => {
    const handler = recorder();
    informer.addHandler(handler);
    const watch = await synced(configMap('kept', '1'), configMap('changed', '2'), configMap('deleted', '3'));
    await until(() => handler.calls.length === 3);
    handler.calls.length = 0;
    watch.send(errorEvent(410, 'Expired'));
    const relist = await server.nextWatch();
    relist.send(added(configMap('kept', '1')), added(configMap('changed', '12')), added(configMap('new', '13')));
    await clock.advance(0);
    expect(informer.store.list()).toHaveLength(3);
    expect(informer.store.get({ namespace: 'default', name: 'changed' })?.metadata.resourceVersion).toBe('2');
    expect(handler.calls).toEqual([]);
    await send(relist, initialEventsEnd('20'));
    await until(() => handler.calls.length === 3);
    expect(handler.calls).toEqual(['changed@2>12', '+new@13', '-deleted@3?']);
    expect(informer.store.get({ namespace: 'default', name: 'deleted' })).toBeUndefined();
  });

  it('F-9: notifies of every object again after the server was restored, because versions have another meaning', async () => {
    const handler = recorder();
    informer.addHandler(handler);
    const watch = await synced(configMap('a', '5'));
    watch.send(errorEvent(410, 'Expired'));
    await send(await server.nextWatch(), added(configMap('a', '5')), initialEventsEnd('7'));
    await until(() => handler.calls.length === 2);
    expect(handler.calls).toEqual(['+a@5!', 'a@5>5']);
  });

  it('F-10: another uid under the same name is a deletion and an addition', async () => {
    const handler = recorder();
    informer.addHandler(handler);
    const cached: unknown[] = [];
    informer.addHandler({ onDelete: ({ key }) => cached.push(informer.store.get(key)?.metadata.uid) });
    const watch = await synced(configMap('a', '1', 'first'));
    await send(watch, modified(configMap('a', '11', 'second')));
    watch.send(errorEvent(410, 'Expired'));
    await send(await server.nextWatch(), added(configMap('a', '12', 'third')), initialEventsEnd('20'));
    await until(() => handler.calls.length === 5);
    expect(handler.calls).toEqual(['+a@1!', '-a@1?', '+a@11', '-a@11?', '+a@12']);
    expect(cached).toEqual(['second', 'third']);
  });

  it('ignores an event that it has already received', async () => {
    const handler = recorder();
    informer.addHandler(handler);
    const watch = await synced(configMap('a', '10'));
    await send(watch, added(configMap('a', '10')), deleted(configMap('unknown', '11')));
    expect(handler.calls).toEqual(['+a@10!']);
  });

  describe('a handler that is added later', () => {
    it('F-21: receives existing objects asynchronously, and then changes', async () => {
      const watch = await synced(configMap('a', '1'), configMap('b', '2'));
      const handler = recorder();
      const registration = informer.addHandler(handler);
      expect(handler.calls).toEqual([]);
      expect(registration.hasSynced).toBe(false);
      await registration.synced;
      await send(watch, modified(configMap('a', '11')));
      expect(handler.calls).toEqual(['+a@1!', '+b@2!', 'a@1>11']);
    });

    it('F-21: receives each object once if another handler adds it during a change', async () => {
      const late = recorder();
      let registration: Registration | undefined;
      informer.addHandler({ onUpdate: () => void (registration ??= informer.addHandler(late)) });
      const watch = await synced(configMap('a', '1'), configMap('b', '2'));
      await send(watch, modified(configMap('a', '11')), modified(configMap('b', '12')));
      await registration?.synced;
      expect(late.calls).toEqual(['+a@11!', '+b@2!', 'b@2>12']);
    });

    it('F-21: receives the first list once if it is added while others receive it', async () => {
      const late = recorder();
      let registration: Registration | undefined;
      informer.addHandler({ onAdd: () => void (registration ??= informer.addHandler(late)) });
      await synced(configMap('a', '1'), configMap('b', '2'));
      await until(() => registration !== undefined);
      await registration?.synced;
      expect(late.calls).toEqual(['+a@1!', '+b@2!']);
    });

    it('F-21: does not miss changes while it catches up over many turns', async () => {
      const objects = Array.from({ length: 100 }, (_, index) => configMap(`object-${index}`, String(index + 1)));
      const watch = await synced(...objects);
      const versions = new Map<string, string>();
      let updates = 0;
      const keep = ({ metadata }: DeepReadonly<ConfigMap>) => versions.set(metadata.name, metadata.resourceVersion);
      const registration = informer.addHandler({
        onAdd: ({ object }) => {
          busy(1);
          keep(object);
        },
        onUpdate: ({ object }) => {
          expect(versions.has(object.metadata.name)).toBe(true);
          updates++;
          keep(object);
        },
      });
      await send(
        watch,
        ...objects.map(({ metadata }, index) => modified(configMap(metadata.name, String(1000 + index)))),
      );
      await registration.synced;
      // Changes that arrive when the handler has caught up are not waited for.
      await until(() => updates >= 100);
      expect(updates).toBe(100);
      expect([...versions.values()]).toEqual(objects.map((_, index) => String(1000 + index)));
    });
  });

  it('P-7: yields to the event loop during a burst of notifications', async () => {
    let turns = 0;
    const stopCounting = countTurns(() => turns++);
    const registration = informer.addHandler({ onAdd: () => busy(1) });
    await synced(...Array.from({ length: 200 }, (_, index) => configMap(`object-${index}`, String(index + 1))));
    await registration.synced;
    stopCounting();
    // 200 ms of work in slices of 16 calls: at most 16 ms at once.
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it('P-7: yields to the event loop while it notifies 100,000 handlers of one change', async () => {
    const watch = await synced(configMap('a', '3'));
    let calls = 0;
    for (let index = 0; index < 100_000; index++) {
      informer.addHandler({
        onUpdate: () => {
          calls++;
          if (index % 1_000 === 0) busy(1);
        },
      });
    }
    let turns = 0;
    const stopCounting = countTurns(() => turns++);
    watch.send(modified(configMap('a', '11')));
    await until(() => calls === 100_000);
    stopCounting();
    // 100 ms of work, checked every few calls: at most 9 ms at once.
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  describe('decoding', () => {
    const stats = () => {
      const { store } = informer;
      if (!(store instanceof PackedStore)) throw new Error('expected a packed store');
      return store.stats();
    };
    const objects = Array.from({ length: 50 }, (_, index) => configMap(`object-${index}`, String(index + 1)));

    it('PC-4: a handler that reads keys decodes nothing, and one that reads metadata decodes no object', async () => {
      const keys: string[] = [];
      informer.addHandler({ onAdd: ({ key }) => keys.push(key.name), onUpdate: ({ key }) => keys.push(key.name) });
      const watch = await synced(...objects);
      await send(watch, modified(configMap('object-7', '60')));
      expect(keys).toHaveLength(51);
      expect(stats()).toMatchObject({ objects: 50, decodes: 0, metadataDecodes: 0 });
      const owners: unknown[] = [];
      const late = informer.addHandler({ onAdd: ({ metadata }) => owners.push(metadata.ownerReferences) });
      await late.synced;
      expect(owners).toHaveLength(50);
      expect(stats()).toMatchObject({ decodes: 0, metadataDecodes: 50 });
    });

    it('PC-7: a relist of unchanged objects decodes nothing', async () => {
      const handler = recorder();
      const watch = await synced(...objects);
      informer.addHandler({ onUpdate: handler.onUpdate, onDelete: handler.onDelete });
      watch.send(errorEvent(410, 'Expired'));
      await send(await server.nextWatch(), ...objects.map(added), initialEventsEnd('70'));
      expect(handler.calls).toEqual([]);
      expect(stats()).toMatchObject({ objects: 50, decodes: 0, metadataDecodes: 0 });
    });

    it('PC-3: events and reads return the identical object', async () => {
      const seen: unknown[] = [];
      informer.addHandler({
        onAdd: ({ object }) => seen.push(object),
        onUpdate: ({ object, oldObject }) => seen.push(oldObject, object),
      });
      const watch = await synced(configMap('a', '1'));
      await until(() => seen.length === 1);
      const key = { namespace: 'default', name: 'a' };
      const first = informer.store.get(key);
      await send(watch, modified(configMap('a', '11')));
      expect(seen).toEqual([first, first, informer.store.get(key)]);
      for (const [index, object] of [first, first, informer.store.get(key)].entries()) expect(seen[index]).toBe(object);
      expect(informer.store.list()[0]).toBe(informer.store.lazy(key)?.object);
      expect(stats().decodes).toBe(2);
    });
  });

  it('reads throw after the informer has stopped, because its objects are not deleted', async () => {
    await synced(configMap('a', '1'));
    stop.abort();
    await run;
    expect(() => informer.store.get({ namespace: 'default', name: 'a' })).toThrow('the informer has stopped');
    expect(() => informer.store.list()).toThrow('the informer has stopped');
  });

  it('a handler cannot change the key that other handlers receive', async () => {
    const keys: unknown[] = [];
    const rename = ({ key }: { readonly key: object }) => void Object.assign(key, { name: 'other' });
    informer.addHandler({ onAdd: rename, onUpdate: rename, onDelete: rename });
    const read = ({ key }: { readonly key: object }) => void keys.push(key);
    informer.addHandler({ onAdd: read, onUpdate: read, onDelete: read });
    const watch = await synced(configMap('a', '1'));
    await send(watch, modified(configMap('a', '11')), deleted(configMap('a', '12')));
    await until(() => errors.length === 3);
    expect(keys).toEqual(Array(3).fill({ namespace: 'default', name: 'a' }));
  });

  it('CT-3: refuses handlers and reports an error after it has stopped', async () => {
    await synced(configMap('a', '1'));
    expect(informer.lastError).toBeUndefined();
    stop.abort();
    await run;
    expect(() => informer.addHandler(recorder())).toThrow('the informer has stopped');
    expect(informer.lastError?.name).toBe('InformerStoppedError');
  });

  it('a handler that throws or rejects is logged, and does not affect others', async () => {
    const handler = recorder();
    informer.addHandler({
      onAdd: () => {
        throw new Error('broken');
      },
      onUpdate: () => Promise.reject(new Error('broken later')),
    });
    informer.addHandler(handler);
    const watch = await synced(configMap('a', '1'));
    await send(watch, modified(configMap('a', '11')));
    await until(() => errors.length === 2);
    expect(handler.calls).toEqual(['+a@1!', 'a@1>11']);
    expect(errors).toEqual([
      expect.objectContaining({ change: 'add', object: 'default/a', error: new Error('broken') }),
      expect.objectContaining({ change: 'update', object: 'default/a', error: new Error('broken later') }),
    ]);
  });

  describe('with a handler that returns promises', () => {
    /** Records the begin and the end of its calls. Each ends when the test calls `next`. */
    function slow() {
      const calls: string[] = [];
      const ends: (() => void)[] = [];
      const call = async ({ metadata }: { metadata: DeepReadonly<ConfigMap['metadata']> }) => {
        calls.push(`+${metadata.resourceVersion}`);
        await new Promise<void>((resolve) => ends.push(resolve));
        calls.push(`-${metadata.resourceVersion}`);
      };
      const next = async () => {
        await until(() => ends.length > 0);
        ends.shift()?.();
      };
      return { calls, next, onAdd: call, onUpdate: call, onDelete: call };
    }

    it('CT-19: the next event of that handler waits, and other handlers and the store do not', async () => {
      const [handler, other] = [slow(), recorder()];
      informer.addHandler(handler);
      informer.addHandler(other);
      const watch = await synced(configMap('a', '1'));
      await send(watch, modified(configMap('a', '11')), deleted(configMap('a', '12')));
      expect(handler.calls).toEqual(['+1']);
      expect(other.calls).toEqual(['+a@1!', 'a@1>11', '-a@12']);
      expect(informer.store.size).toBe(0);
      for (let call = 0; call < 3; call += 1) await handler.next();
      await until(() => handler.calls.length === 6);
      expect(handler.calls).toEqual(['+1', '-1', '+11', '-11', '+12', '-12']);
    });

    it.each(['before', 'after'])('CT-19: added %s the sync, it has synced when its promises have', async (when) => {
      const handler = slow();
      let registration = when === 'before' ? informer.addHandler(handler) : undefined;
      const watch = await synced(configMap('a', '1'), configMap('b', '2'));
      registration ??= informer.addHandler(handler);
      await send(watch, modified(configMap('a', '11')));
      await handler.next();
      await until(() => handler.calls.length === 3);
      expect(handler.calls).toEqual(['+1', '-1', '+2']);
      expect(registration.hasSynced).toBe(false);
      await handler.next();
      if (when === 'after') await handler.next();
      await registration.synced;
      expect(handler.calls.slice(0, 4)).toEqual(['+1', '-1', '+2', '-2']);
    });

    it('CT-19: removed during a call, it gets no event that waits', async () => {
      const handler = slow();
      const registration = informer.addHandler(handler);
      const watch = await synced(configMap('a', '1'));
      await send(watch, modified(configMap('a', '11')));
      registration.remove();
      await handler.next();
      await send(watch, modified(configMap('a', '12')));
      expect(handler.calls).toEqual(['+1', '-1']);
    });
  });

  it('a removed handler is not called again, even if another one removes it during a change', async () => {
    const handler = recorder();
    informer.addHandler({ onUpdate: () => registration.remove() });
    const registration = informer.addHandler(handler);
    const watch = await synced(configMap('a', '1'));
    await send(watch, modified(configMap('a', '11')), modified(configMap('a', '12')));
    expect(handler.calls).toEqual(['+a@1!']);
  });

  it('a handler that removes itself while it catches up is not called again', async () => {
    await synced(configMap('a', '1'), configMap('b', '2'));
    const calls: string[] = [];
    const registration: Registration = informer.addHandler({
      onAdd: ({ key }) => {
        calls.push(key.name);
        registration.remove();
      },
    });
    await until(() => calls.length > 0);
    await clock.advance(0);
    expect(calls).toEqual(['a']);
    expect(registration.hasSynced).toBe(false);
  });

  it('CT-3: does not call handlers after its abort', async () => {
    const handler = recorder();
    informer.addHandler(handler);
    const watch = await synced(configMap('a', '1'));
    await until(() => handler.calls.length === 1);
    watch.send(modified(configMap('a', '11')));
    stop.abort();
    await run;
    expect(handler.calls).toEqual(['+a@1!']);
  });

  it('rejects waits for the sync when it is stopped and when the signal aborts', async () => {
    const patience = new AbortController();
    const impatient = informer.waitForSync(patience.signal);
    patience.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    const waiting = informer.waitForSync(new AbortController().signal);
    stop.abort();
    await expect(waiting).rejects.toThrow('the informer was stopped before it synced');
  });

  it('loses no event if a handler, an index function and the logger throw', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const fail = (): never => {
      throw new Error('disk full');
    };
    log = fail;
    informer.addIndex('bad', fail);
    informer.addHandler({ onAdd: fail, onUpdate: fail, onDelete: fail });
    const handler = recorder();
    informer.addHandler(handler);
    const watch = await synced(configMap('a', '1'), configMap('b', '2'));
    await send(watch, modified(configMap('a', '11')), deleted(configMap('b', '12')), added(configMap('c', '13')));
    expect(handler.calls).toEqual(['+a@1!', '+b@2!', 'a@1>11', '-b@12', '+c@13']);
    expect(informer.store.size).toBe(2);
    expect(emitWarning.mock.calls[0]?.[0]).toBe('a logger or failure handler threw: disk full');
    emitWarning.mockRestore();
  });

  it('reports why it has not synced', async () => {
    (await server.nextWatch()).fail(new Error('connection refused'));
    await clock.advance(0);
    expect(informer.lastError?.message).toBe('connection refused');
    await clock.advance(800);
    await synced();
    expect(informer.lastError).toBeUndefined();
  });
});

/** Blocks the thread for some milliseconds. */
function busy(duration: number): void {
  for (const end = performance.now() + duration; performance.now() < end;);
}

/** Calls back in each turn of the event loop, until it is stopped. */
function countTurns(onTurn: () => void): () => void {
  let immediate = setImmediate(function turn() {
    onTurn();
    immediate = setImmediate(turn);
  });
  return () => clearImmediate(immediate);
}
