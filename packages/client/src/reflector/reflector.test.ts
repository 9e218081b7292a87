import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError } from '../response/api-error.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { Logger } from '../log/logger.ts';
import { TransportError } from '../errors/transport-error.ts';
import { OutgrownListError } from '../watch/watch-size.ts';
import { ListSlots } from './list-slots.ts';
import { Reflector } from './reflector.ts';
import type { Emission } from './reflector-state.ts';
import {
  added,
  bookmark,
  configMap,
  initialEventsEnd,
  modified,
  ScriptedListerWatcher,
} from './scripted-lister-watcher.fixture.ts';
import type { WatchExchange } from './scripted-lister-watcher.fixture.ts';

const reset = new Error('connection reset');
const refused = new TransportError('refused', 'h', 'connection refused');

describe('Reflector', () => {
  let clock: VirtualClock;
  let server: ScriptedListerWatcher;
  let emissions: Emission[];
  let lines: string[];
  let chance: number;
  let reflector: Reflector;
  let stop: AbortController;
  let run: Promise<void>;

  const logger: Logger = {
    debug: () => undefined,
    info: (message) => lines.push(`info ${message}`),
    warn: (message) => lines.push(`warn ${message}`),
    error: (message) => lines.push(`error ${message}`),
    child: () => logger,
  };

  beforeEach(() => {
    clock = new VirtualClock();
    server = new ScriptedListerWatcher();
    emissions = [];
    lines = [];
    chance = 0;
    reflector = new Reflector({
      listerWatcher: server,
      sink: (emission) => Promise.resolve(void emissions.push(emission)),
      listSlots: new ListSlots({ clock }),
      clock,
      logger,
      random: () => chance,
    });
    stop = new AbortController();
    run = reflector.run(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await run;
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });

  /** Starts a watch that follows changes from version 10. */
  async function synced(): Promise<WatchExchange> {
    const watch = await server.nextWatch();
    watch.send(initialEventsEnd('10'));
    await clock.advance(0);
    return watch;
  }

  it('requests the initial objects as a watch with a duration of five to ten minutes', async () => {
    const watch = await server.nextWatch();
    expect(watch.request).toMatchObject({ sendInitialEvents: true, timeoutSeconds: 300 });
    expect(watch.request.resourceVersion).toBeUndefined();
    chance = 0.5;
    watch.send(initialEventsEnd('10'));
    watch.end();
    expect((await server.nextWatch()).request).toMatchObject({ resourceVersion: '10', timeoutSeconds: 450 });
  });

  it('lists in pages if WatchList is refused, and watches from the version of the list', async () => {
    (await server.nextWatch()).fail(new ApiError({ code: 422, reason: 'Invalid' }));
    const first = await server.nextList();
    expect(first.request).toMatchObject({ limit: 500 });
    first.reply('10', [configMap('a', '3')], 'more');
    const second = await server.nextList();
    expect(second.request).toMatchObject({ limit: 500, continue: 'more' });
    second.fail(new ApiError({ code: 410, reason: 'Expired' }));
    const whole = await server.nextList();
    expect(whole.request.limit).toBeUndefined();
    expect(whole.request.continue).toBeUndefined();
    whole.reply('12', [configMap('a', '3'), configMap('b', '11')]);
    const { request } = await server.nextWatch();
    expect(request).toMatchObject({ resourceVersion: '12', timeoutSeconds: 300 });
    expect(request.sendInitialEvents).toBeUndefined();
  });

  it('S-10: counts the pages of each list, and the watches that follow it, toward one total', async () => {
    (await server.nextWatch()).fail(new ApiError({ code: 422, reason: 'Invalid' }));
    const first = await server.nextList();
    expect(first.request.total).toEqual({ bytes: 0 });
    first.reply('10', [configMap('a', '3')], 'more');
    const second = await server.nextList();
    expect(second.request.total).toBe(first.request.total);
    second.fail(new ApiError({ code: 410, reason: 'Expired' }));
    const whole = await server.nextList();
    expect(whole.request.total).toEqual({ bytes: 0 });
    expect(whole.request.total).not.toBe(first.request.total);
    whole.reply('10', [configMap('a', '3')]);
    const watch = await server.nextWatch();
    expect(watch.request.total).toBe(whole.request.total);
    watch.fail(reset);
    await clock.advance(1_000);
    expect((await server.nextWatch()).request.total).toBe(whole.request.total);
  });

  it('S-10: lists again, with a new total, after a watch that outgrew its limit, with backoff if that repeats', async () => {
    const first = await synced();
    first.fail(new OutgrownListError('too much'));
    const second = await server.nextWatch();
    expect(second.request).toMatchObject({ sendInitialEvents: true, total: { bytes: 0 } });
    expect(second.request.total).not.toBe(first.request.total);
    expect(reflector.lastError?.message).toBe('too much');
    second.send(initialEventsEnd('11'));
    await clock.advance(0);
    expect(reflector.lastError).toBeUndefined();
    second.fail(new OutgrownListError('too much'));
    await clock.advance(799);
    expect(server.untaken).toBe(0);
    await clock.advance(1);
    expect((await server.nextWatch()).request).toMatchObject({ sendInitialEvents: true });
  });

  it('requests the next page while the current one is stored, and no further page', async () => {
    const stored = Promise.withResolvers<void>();
    const pages = new ScriptedListerWatcher();
    const second = new Reflector({
      listerWatcher: pages,
      sink: ({ type }) => (type === 'init-objects' ? stored.promise : Promise.resolve()),
      listSlots: new ListSlots({ clock }),
      clock,
      logger,
      random: () => 0,
    });
    const secondRun = second.run(stop.signal);
    (await pages.nextWatch()).fail(new ApiError({ code: 422, reason: 'Invalid' }));
    const first = await pages.nextList();
    first.request.onContinue?.('second');
    first.reply('10', [configMap('a', '3')], 'second');
    const ahead = await pages.nextList();
    expect(ahead.request).toMatchObject({ limit: 500, continue: 'second' });
    ahead.request.onContinue?.('third');
    ahead.reply('10', [configMap('b', '4')], 'third');
    await clock.advance(0);
    expect(pages.untaken).toBe(0);
    stored.resolve();
    expect((await pages.nextList()).request.continue).toBe('third');
    stop.abort();
    await secondRun;
  });

  it('requests the next page before the current one is parsed', async () => {
    (await server.nextWatch()).fail(new ApiError({ code: 422, reason: 'Invalid' }));
    const first = await server.nextList();
    first.request.onContinue?.('second');
    const second = await server.nextList();
    expect(second.request.continue).toBe('second');
    second.request.onContinue?.('third');
    second.reply('10', [configMap('b', '4')], 'third');
    await clock.advance(0);
    expect(server.untaken).toBe(0);
    first.reply('10', [configMap('a', '3')], 'second');
    expect((await server.nextList()).request.continue).toBe('third');
    await clock.advance(0);
    expect(emissions).toMatchObject([{ type: 'init' }, { type: 'init-objects' }, { type: 'init-objects' }]);
  });

  it('F-1: resumes from the last version when the server ends the watch, without a list', async () => {
    const watch = await synced();
    watch.send(modified(configMap('a', '12')), bookmark('15'));
    watch.end();
    expect((await server.nextWatch()).request.resourceVersion).toBe('15');
    expect(lines).toEqual([]);
  });

  it('F-1: resumes after a reset, and logs the failure and the recovery once each', async () => {
    (await synced()).fail(reset);
    await clock.advance(0);
    expect(reflector.lastError).toBe(reset);
    await clock.advance(799);
    expect(server.untaken).toBe(0);
    await clock.advance(1);
    (await server.nextWatch()).fail(reset);
    await clock.advance(1_600);
    const watch = await server.nextWatch();
    expect(watch.request.resourceVersion).toBe('10');
    watch.send(bookmark('11'));
    await clock.advance(0);
    expect(reflector.lastError).toBeUndefined();
    expect(lines).toEqual(['warn list or watch failed', 'info list and watch recovered']);
  });

  it('logs once that a list is refused, although the watch is refused too', async () => {
    for (let round = 0; round < 3; round += 1) {
      (await server.nextWatch()).fail(new ApiError({ code: 403, reason: 'Forbidden' }));
      (await server.nextList()).fail(new ApiError({ code: 403, reason: 'Forbidden' }));
      await clock.advance(30_000);
    }
    expect(lines).toEqual(['warn list or watch failed', 'warn list or watch failed']);
    (await server.nextWatch()).send(initialEventsEnd('10'));
    await clock.advance(0);
    expect(lines.slice(2)).toEqual(['info list and watch recovered']);
  });

  it('logs once that a watch is refused while lists succeed, and keeps the error', async () => {
    const forbidden = new ApiError({ code: 403, reason: 'Forbidden', message: 'cannot watch' });
    (await server.nextWatch()).fail(forbidden);
    (await server.nextList()).reply('10', [configMap('a', '3')]);
    for (let round = 0; round < 3; round += 1) {
      (await server.nextWatch()).fail(forbidden);
      await clock.advance(0);
      expect(reflector.lastError).toBe(forbidden);
      await clock.advance(30_000);
    }
    expect(lines).toEqual(['warn list or watch failed']);
    expect(emissions).toMatchObject([{ type: 'init' }, { type: 'init-objects' }, { type: 'init-done' }]);
    (await server.nextWatch()).send(bookmark('11'));
    await clock.advance(0);
    expect(lines.slice(1)).toEqual(['info list and watch recovered']);
  });

  it('F-13: logs that a refused watch is permitted again, although a list succeeded in between', async () => {
    (await server.nextWatch()).fail(new ApiError({ code: 422, reason: 'Invalid' }));
    (await server.nextList()).reply('10', []);
    (await server.nextWatch()).fail(new ApiError({ code: 401, reason: 'Unauthorized' }));
    await clock.advance(800);
    (await server.nextWatch()).fail(new ApiError({ code: 410, reason: 'Expired' }));
    await clock.advance(30_000);
    (await server.nextList()).reply('20', []);
    const watch = await server.nextWatch();
    expect(lines).toEqual(['warn list or watch failed']);
    watch.send(bookmark('21'));
    await clock.advance(0);
    expect(lines.slice(1)).toEqual(['info list and watch recovered']);
    watch.fail(reset);
    await clock.advance(0);
    expect(lines.slice(2)).toEqual(['warn list or watch failed']);
  });

  it('logs why a list is refused, but not that the server does not support WatchList', async () => {
    (await server.nextWatch()).fail(new ApiError({ code: 422, reason: 'Invalid' }));
    const list = await server.nextList();
    expect(lines).toEqual([]);
    list.fail(new ApiError({ code: 403, reason: 'Forbidden' }));
    await clock.advance(0);
    expect(lines).toEqual(['warn list or watch failed']);
  });

  it('F-7: jitter adds up to half to a wait, which never exceeds 30 s', async () => {
    chance = 1;
    let watch = await synced();
    for (const delay of [1_200, 2_400, 4_800, 9_600, 19_200, 30_000, 30_000]) {
      watch.fail(reset);
      await clock.advance(delay - 1);
      expect(server.untaken).toBe(0);
      await clock.advance(1);
      watch = await server.nextWatch();
    }
  });

  it('F-6: waits for the time that a 429 requests, then resumes', async () => {
    (await synced()).fail(new ApiError({ code: 429, details: { retryAfterSeconds: 12 } }));
    await clock.advance(11_999);
    expect(server.untaken).toBe(0);
    await clock.advance(1);
    expect((await server.nextWatch()).request.resourceVersion).toBe('10');
  });

  it('F-6: waits at most 5 min plus jitter, and reports the end of the wait', async () => {
    (await synced()).fail(new ApiError({ code: 429, message: 'busy', details: { retryAfterSeconds: 2_592_000 } }));
    await clock.advance(0);
    const until = new Date(clock.wallTime() + 300_000).toISOString();
    expect(reflector.lastError?.message).toBe(`the server asked to wait, no request before ${until}: busy`);
    expect(reflector.lastError).toMatchObject({ status: 429, retryAfter: 300_000 });
    await clock.advance(299_999);
    expect(server.untaken).toBe(0);
    await clock.advance(1);
    expect((await server.nextWatch()).request.resourceVersion).toBe('10');
  });

  it('F-13: a refused watch resumes when credentials change', async () => {
    (await synced()).end();
    await clock.advance(1_000);
    for (let refusals = 0; refusals < 10; refusals += 1) {
      (await server.nextWatch()).fail(new ApiError({ code: 401, reason: 'Unauthorized' }));
      await clock.advance(30_000);
    }
    (await server.nextWatch()).fail(new ApiError({ code: 401, reason: 'Unauthorized' }));
    await clock.advance(0);
    expect(server.untaken).toBe(0);
    server.renewCredentials();
    const resumed = await server.nextWatch();
    expect(resumed.request).toMatchObject({ resourceVersion: '10' });
    resumed.send(added(configMap('a', '11')));
    await clock.advance(0);
    expect(server.awaited).toEqual([]);
  });

  it.each([
    ['is refused', new ApiError({ code: 401, reason: 'Unauthorized' }), 20_000],
    ['fails on the connection', refused, 20_000],
    ['must wait', new ApiError({ code: 503, details: { retryAfterSeconds: 12 } }), 12_000],
  ])('F-13, F-22: credentials that change before a request %s end the wait after it, once', async (_, error, wait) => {
    let watch = await synced();
    for (let failures = 0; failures < 10; failures += 1) {
      watch.fail(new ApiError({ code: 401, reason: 'Unauthorized' }));
      await clock.advance(30_000);
      watch = await server.nextWatch();
    }
    server.renewCredentials();
    watch.fail(error);
    await clock.advance(wait === 20_000 ? 0 : wait);
    expect(server.untaken).toBe(1);
    (await server.nextWatch()).fail(error);
    await clock.advance(wait - 1);
    expect(server.untaken).toBe(0);
    await clock.advance(20_000 - wait + 1);
    expect(server.untaken).toBe(1);
  });

  it('F-22: resumes at once when the server responds again, and lists at once if the watch gets a 410', async () => {
    let watch = await synced();
    for (let failures = 0; failures < 8; failures += 1) {
      watch.fail(refused);
      await clock.advance(30_000);
      watch = await server.nextWatch();
    }
    watch.fail(refused);
    await clock.advance(1_000);
    expect(server.untaken).toBe(0);
    server.recover();
    (await server.nextWatch()).fail(new ApiError({ code: 410, reason: 'Expired' }));
    (await server.nextWatch()).send(initialEventsEnd('20'));
    await clock.advance(0);
    expect(reflector.lastError).toBeUndefined();
    expect(clock.now()).toBe(241_000);
    expect(server.awaited).toEqual([]);
  });

  it('F-22: a server without an outage does not end a backoff', async () => {
    (await synced()).fail(new ApiError({ code: 500, reason: 'InternalError' }));
    await clock.advance(0);
    server.recover(0);
    await clock.advance(799);
    expect(server.untaken).toBe(0);
    await clock.advance(1);
    await server.nextWatch();
  });

  it('F-13, F-22: changed credentials end the wait for an unreachable server', async () => {
    let watch = await synced();
    for (let failures = 0; failures < 3; failures += 1) {
      watch.fail(refused);
      await clock.advance(10_000);
      watch = await server.nextWatch();
    }
    watch.fail(refused);
    await clock.advance(0);
    expect(server.awaited).toEqual(['credentials', 'recovery']);
    server.renewCredentials();
    (await server.nextWatch()).fail(refused);
    await clock.advance(800);
    await server.nextWatch();
  });

  it('F-6, F-22: neither recovery nor credentials end a wait that the server requested', async () => {
    (await synced()).fail(new ApiError({ code: 503, details: { retryAfterSeconds: 12 } }));
    await clock.advance(11_999);
    expect(server.awaited).toEqual([]);
    server.recover();
    server.renewCredentials();
    await clock.advance(0);
    expect(server.untaken).toBe(0);
    await clock.advance(1);
    await server.nextWatch();
  });

  it('F-22: retries an absent kind when its definition changes, at most 5 times per second', async () => {
    const absent = new ApiError({ code: 404, reason: 'NotFound' });
    (await server.nextWatch()).fail(absent);
    await clock.advance(800);
    (await server.nextWatch()).fail(absent);
    await clock.advance(200);
    expect(server.awaited).toContain('definition');
    server.define('5');
    (await server.nextWatch()).fail(absent);
    await clock.advance(199);
    server.define('6');
    expect(server.awaited).not.toContain('definition');
    await clock.advance(1);
    server.define('7');
    (await server.nextWatch()).send(initialEventsEnd('10'));
    await clock.advance(0);
    expect(reflector.lastError).toBeUndefined();
  });

  it('S-14, F-22: an event on which the sink throws fails the watch, and everything is listed again with backoff', async () => {
    let isBroken = true;
    const hostile = new ScriptedListerWatcher();
    const second = new Reflector({
      listerWatcher: hostile,
      sink: async (emission) => {
        if (isBroken && emission.type === 'changes') throw new TypeError('metadata.labels is not an object');
      },
      listSlots: new ListSlots({ clock }),
      clock,
      logger,
      random: () => 0,
    });
    const secondRun = second.run(stop.signal);
    for (const delay of [0, 800, 1_600]) {
      const watch = await hostile.nextWatch();
      watch.send(initialEventsEnd('10'));
      await clock.advance(0);
      watch.send(added(configMap('a', '11')));
      await clock.advance(0);
      expect(second.lastError?.message).toBe('metadata.labels is not an object');
      await clock.advance(delay);
    }
    expect(lines).toEqual([
      'warn list or watch failed',
      'info list and watch recovered',
      'warn list or watch failed',
      'info list and watch recovered',
      'warn list or watch failed',
    ]);
    isBroken = false;
    const watch = await hostile.nextWatch();
    expect(watch.request.sendInitialEvents).toBe(true);
    watch.send(initialEventsEnd('10'), added(configMap('a', '11')));
    await clock.advance(0);
    expect(second.lastError).toBeUndefined();
    stop.abort();
    await secondRun;
  });

  it('S-14: an event on which the transition throws fails the watch', async () => {
    const watch = await synced();
    watch.send({ ...bookmark('11'), object: {} } as ReturnType<typeof bookmark>);
    await clock.advance(0);
    expect(reflector.lastError).toBeInstanceOf(TypeError);
    expect((await server.nextWatch()).request.sendInitialEvents).toBe(true);
  });

  it('F-13: changed credentials do not end a wait after an unrelated failure', async () => {
    (await synced()).fail(reset);
    await clock.advance(0);
    expect(server.awaited).toEqual([]);
  });

  it('F-4: closes and resumes a watch that is silent for longer than its requested duration', async () => {
    const watch = await synced();
    await clock.advance(300_000);
    watch.send(added(configMap('a', '20')));
    await clock.advance(329_999);
    expect(watch.request.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(watch.request.signal.aborted).toBe(true);
    expect(reflector.lastError?.message).toContain('the watch received no data for 330000 ms');
    await clock.advance(800);
    expect((await server.nextWatch()).request.resourceVersion).toBe('20');
  });

  it('F-4: closes and resumes a watch with bookmarks that sends none for three minutes', async () => {
    const watch = await synced();
    await clock.advance(100_000);
    watch.send(bookmark('20'));
    await clock.advance(179_999);
    expect(watch.request.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(watch.request.signal.aborted).toBe(true);
    expect(reflector.lastError?.message).toContain('the watch received no data for 180000 ms');
    await clock.advance(800);
    expect((await server.nextWatch()).request.resourceVersion).toBe('20');
  });

  it('F-4: lists if a WatchList is silent for half a minute', async () => {
    const watch = await server.nextWatch();
    await clock.advance(29_999);
    watch.send(added(configMap('a', '3')));
    await clock.advance(29_999);
    expect(watch.request.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(watch.request.signal.aborted).toBe(true);
    (await server.nextList()).reply('10', []);
    expect((await server.nextWatch()).request.resourceVersion).toBe('10');
  });

  it('F-4: lists if the bookmark that ends a WatchList never comes', async () => {
    const watch = await server.nextWatch();
    for (let version = 1; version < 30; version++) {
      await clock.advance(10_000);
      watch.send(added(configMap(`a-${version}`, String(version))));
    }
    await clock.advance(9_999);
    expect(watch.request.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(watch.request.signal.aborted).toBe(true);
    (await server.nextList()).reply('40', []);
    expect((await server.nextWatch()).request.resourceVersion).toBe('40');
  });

  it('F-4: reports the time since the last data from the server', async () => {
    const watch = await synced();
    await clock.advance(89_999);
    expect(reflector.staleFor()).toBe(0);
    await clock.advance(1);
    expect(reflector.staleFor()).toBe(90_000);
    watch.send(bookmark('11'));
    await clock.advance(0);
    expect(reflector.staleFor()).toBe(0);
    await clock.advance(5_000);
    watch.fail(reset);
    await clock.advance(0);
    expect(reflector.staleFor()).toBe(5_000);
  });

  it('F-9: logs that the resource version went back', async () => {
    (await synced()).fail(new ApiError({ code: 410, reason: 'Expired' }));
    (await server.nextWatch()).send(initialEventsEnd('7'));
    await clock.advance(0);
    expect(emissions.at(-1)).toEqual({ type: 'init-done', version: '7', wentBack: true });
    expect(lines).toContain('warn resource version went back, the server may have been restored');
  });

  it('continues only after the sink has handled an emission', async () => {
    const watch = await synced();
    const taken = Promise.withResolvers<void>();
    const received: string[] = [];
    const slow = new ScriptedListerWatcher();
    const second = new Reflector({
      listerWatcher: slow,
      sink: (emission) => {
        received.push(emission.type);
        return emission.type === 'init-objects' ? taken.promise : Promise.resolve();
      },
      listSlots: new ListSlots({ clock }),
      clock,
      logger,
      random: () => 0,
    });
    const secondRun = second.run(stop.signal);
    (await slow.nextWatch()).send(added(configMap('a', '3')), initialEventsEnd('10'));
    await clock.advance(0);
    expect(received).toEqual(['init-objects']);
    taken.resolve();
    await clock.advance(0);
    expect(received).toEqual(['init-objects', 'init-done']);
    watch.end();
    stop.abort();
    await secondRun;
  });
});
