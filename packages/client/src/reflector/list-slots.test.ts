import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { silentLogger } from '../log/logger.ts';
import { ListSlots } from './list-slots.ts';
import { Reflector } from './reflector.ts';
import {
  added,
  bookmark,
  configMap,
  initialEventsEnd,
  ScriptedListerWatcher,
} from './scripted-lister-watcher.fixture.ts';

describe('ListSlots', () => {
  let clock: VirtualClock;
  let stop: AbortController;
  let runs: Promise<void>[];
  let stored: number;

  beforeEach(() => {
    clock = new VirtualClock();
    stop = new AbortController();
    runs = [];
    stored = 0;
  });

  afterEach(async () => {
    stop.abort();
    await Promise.all(runs);
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });

  /** Starts reflectors that share the slots. Returns their servers. */
  function reflectors(count: number, listSlots: ListSlots): ScriptedListerWatcher[] {
    return Array.from({ length: count }, () => {
      const server = new ScriptedListerWatcher();
      const reflector = new Reflector({
        listerWatcher: server,
        sink: async ({ type }) => void (type === 'init-objects' && stored++),
        listSlots,
        clock,
        logger: silentLogger,
        random: () => 0,
      });
      runs.push(reflector.run(stop.signal));
      return server;
    });
  }

  const asked = (servers: readonly ScriptedListerWatcher[]) => servers.filter(({ untaken }) => untaken > 0);

  it('F-19: lists 8 of 200 clusters at once, and the next one when a list is complete', async () => {
    const waiting = new Set(reflectors(200, new ListSlots({ clock })));
    for (let left = 200; left > 0; left--) {
      await clock.advance(0);
      const listed = asked([...waiting]);
      expect(listed).toHaveLength(Math.min(left, 8));
      for (const server of listed.slice(0, 1)) {
        (await server.nextWatch()).send(added(configMap('a', '3')), initialEventsEnd('10'));
        waiting.delete(server);
      }
    }
    await clock.advance(0);
    expect(stored).toBe(200);
  });

  it('F-12: a silent server delays the others by 25 ms', async () => {
    const servers = reflectors(3, new ListSlots({ limit: 2, clock }));
    await clock.advance(24);
    expect(asked(servers)).toHaveLength(2);
    await clock.advance(1);
    expect(asked(servers)).toHaveLength(3);
  });

  it('F-12: a server that sends little delays the others by half a minute', async () => {
    const servers = reflectors(2, new ListSlots({ limit: 1, clock }));
    const [slow] = servers;
    const watch = await slow?.nextWatch();
    for (let at = 0; at < 30_000; at += 20) {
      expect(asked(servers)).toHaveLength(0);
      await clock.advance(20);
      watch?.send(bookmark('5'));
    }
    await clock.advance(0);
    expect(asked(servers)).toHaveLength(1);
  });

  it('F-19: the data of a slow server is stored when a slot is free', async () => {
    const [slow, busy] = reflectors(2, new ListSlots({ limit: 1, clock }));
    const late = await slow?.nextWatch();
    await clock.advance(25);
    const watch = await busy?.nextWatch();
    late?.send(added(configMap('a', '3')));
    await clock.advance(0);
    expect(stored).toBe(0);
    watch?.send(initialEventsEnd('10'));
    await clock.advance(0);
    expect(stored).toBe(1);
    late?.send(added(configMap('b', '4')));
    await clock.advance(0);
    expect(stored).toBe(2);
  });

  it('a failed list releases its slot during its backoff', async () => {
    const servers = reflectors(2, new ListSlots({ limit: 1, clock }));
    (await servers[0]?.nextWatch())?.fail(new Error('connection reset'));
    await clock.advance(0);
    expect(asked(servers)).toEqual([servers[1]]);
  });

  it('refuses an invalid limit', () => {
    expect(() => new ListSlots({ limit: 0 })).toThrow('limit: expected a positive whole number, found 0');
  });
});
