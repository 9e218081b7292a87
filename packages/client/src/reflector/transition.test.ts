import { describe, expect, it } from '@jest/globals';
import type { ConfigMap } from '../kinds/builtin.ts';
import { ApiError } from '../response/api-error.ts';
import type { Status } from '../response/api-error.ts';
import { NoKindMatchError } from '../kinds/no-kind-match-error.ts';
import { TransportError } from '../errors/transport-error.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { unpacked } from '../packed/unpacked.fixture.ts';
import type { WatchEvent } from '../packed/watch-event.ts';
import { failureOf, SilentWatchError } from './failure.ts';
import type { ReflectorInput, ReflectorState, Step } from './reflector-state.ts';
import { initialState } from './reflector-state.ts';
import {
  added,
  bookmark,
  configMap,
  deleted,
  errorEvent,
  initialEventsEnd,
  modified,
  packedItems,
} from './scripted-lister-watcher.fixture.ts';
import { transition } from './transition.ts';

type Input = ReflectorInput;

/** Returns the inputs of a page whose objects arrive together. */
function page(version: string, items: readonly ConfigMap[], token?: string): Input[] {
  const metadata = { resourceVersion: version, ...(token !== undefined && { continue: token }) };
  return [...(items.length > 0 ? [objects(...items)] : []), { type: 'page', metadata, at: 0 }];
}

function objects(...items: ConfigMap[]): Input {
  return { type: 'objects', batch: packObjects('listed', items), at: 0 };
}

function events(...list: WatchEvent<ConfigMap>[]): Input {
  return { type: 'events', items: packedItems(list), at: 0 };
}

function failure(error: unknown, at = 0): Input {
  return { type: 'failure', failure: failureOf(error), at };
}

function waited(at = 0): Input {
  return { type: 'waited', at };
}

function refusal(code: number, rest: { reason?: string; retryAfterSeconds?: number; cause?: string } = {}): ApiError {
  const { reason = '', retryAfterSeconds, cause } = rest;
  const details = {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(cause !== undefined && { causes: [{ reason: cause }] }),
  };
  return new ApiError({ code, reason, details });
}

/** Runs all steps. Returns the last state and all emissions, with decoded objects in place of batches. */
function run(from: ReflectorState, ...inputs: (Input | Input[])[]) {
  const emissions: unknown[] = [];
  let step: Step = { state: from, emissions: [] };
  for (const input of inputs.flat()) {
    step = transition(step.state, input);
    for (const emission of step.emissions) {
      const { batch, ...rest } = { batch: undefined, ...emission };
      emissions.push(
        batch ? { ...rest, objects: unpacked(batch).map(({ type, object }) => ({ type, object })) } : emission,
      );
    }
  }
  return { ...step, emissions };
}

function listed(object: ConfigMap): unknown {
  return { type: 'listed', object };
}

const start = initialState(0);
const listing = run(start, failure(refusal(422)), waited()).state;
const watching = run(start, events(added(configMap('a', '3')), initialEventsEnd('10'))).state;
const reset = new Error('connection reset');

describe('reflector: initial objects', () => {
  it('come by WatchList, in one stream with the changes that follow', () => {
    const a = configMap('a', '3');
    const b = configMap('b', '4');
    const c = configMap('c', '11');
    const { state, emissions } = run(start, events(added(a)), events(added(b), initialEventsEnd('10'), added(c)));
    expect(emissions).toEqual([
      { type: 'init-objects', objects: [added(a)] },
      { type: 'init-objects', objects: [added(b)] },
      { type: 'init-done', version: '10', wentBack: false },
      { type: 'changes', objects: [added(c)], version: '11' },
    ]);
    expect(state).toMatchObject({ activity: { phase: 'watching' }, version: '11' });
  });

  it('a bookmark before their end has no effect', () => {
    expect(run(start, events(bookmark('9')))).toMatchObject({
      state: { activity: { phase: 'watch-listing' } },
      emissions: [],
    });
  });

  it.each([400, 405, 406, 415, 422, 501])('are listed in pages from then on if WatchList gets a %d', (code) => {
    const { state, emissions } = run(start, failure(refusal(code)));
    const next = { phase: 'listing', paging: 'pages', continue: undefined };
    expect(state.activity).toMatchObject({ phase: 'waiting', delay: 0, next });
    expect(emissions).toEqual([{ type: 'init' }]);
    const relist = run(state, waited(), page('10', []), events(errorEvent(410, 'Expired')), waited());
    expect(relist.state.activity).toMatchObject({ phase: 'listing' });
  });

  it('F-4: are listed if the bookmark that ends them never comes', () => {
    const partial = events(added(configMap('a', '3')));
    for (const end of [{ type: 'end', at: 400_000 } as const, failure(new SilentWatchError('no data'), 30_000)]) {
      const { state, emissions } = run(start, partial, end);
      expect(state.activity).toMatchObject({ delay: 0, next: { phase: 'listing', paging: 'pages' } });
      expect(emissions.at(-1)).toEqual({ type: 'init' });
      const relist = run(state, waited(), page('10', []), events(errorEvent(410, 'Expired')), waited());
      expect(relist.state.activity).toEqual({ phase: 'watch-listing' });
    }
  });

  it('F-21: include changes that arrive among them', () => {
    const a = configMap('a', '3');
    const newer = configMap('a', '11');
    const b = configMap('b', '4');
    const { state, emissions } = run(start, events(added(a), modified(newer), deleted(b), initialEventsEnd('12')));
    expect(emissions).toEqual([
      { type: 'init-objects', objects: [added(a)] },
      { type: 'init-objects', objects: [modified(newer)] },
      { type: 'init-objects', objects: [deleted(b)] },
      { type: 'init-done', version: '12', wentBack: false },
    ]);
    expect(state.activity.phase).toBe('watching');
  });

  it.each([401, 404, 429, 500, 503])('are requested again the same way, with backoff, after a %d', (code) => {
    const { state } = run(start, failure(refusal(code)));
    expect(state.activity).toMatchObject({ phase: 'waiting', delay: 800, next: { phase: 'watch-listing' } });
    expect(state.error).toBeInstanceOf(ApiError);
    expect(run(state, waited(800)).state.activity).toEqual({ phase: 'watch-listing' });
  });

  it('are listed at once if WatchList is forbidden, and requested by WatchList again if lists are forbidden too', () => {
    const forbidden = run(start, failure(refusal(403)));
    expect(forbidden.state.activity).toMatchObject({ delay: 0, next: { phase: 'listing' } });
    expect(forbidden.state.error).toMatchObject({ status: 403 });
    expect(run(forbidden.state, waited(), page('10', [])).state.activity).toMatchObject({ phase: 'watching' });
    const both = run(forbidden.state, waited(), failure(refusal(403)));
    expect(both.state.activity).toMatchObject({ phase: 'waiting', delay: 800, next: { phase: 'watch-listing' } });
    const unknown = run(listing, failure(refusal(403)));
    expect(unknown.state.activity).toMatchObject({ delay: 800, next: { phase: 'listing' } });
  });

  it('a server without WatchList is not a failure', () => {
    expect(run(start, failure(refusal(422))).state.error).toBeUndefined();
  });

  it('F-2: the objects of a broken WatchList are discarded', () => {
    expect(run(start, events(added(configMap('a', '3'))), failure(reset)).emissions.at(-1)).toEqual({ type: 'init' });
  });

  it('follow the pages of a list', () => {
    const a = configMap('a', '3');
    const b = configMap('b', '4');
    const first = run(listing, page('10', [a], 'more'));
    expect(first.state.activity).toMatchObject({ phase: 'listing', continue: 'more' });
    const last = run(first.state, page('10', [b]));
    expect(last.state).toMatchObject({ activity: { phase: 'watching' }, version: '10' });
    expect([...first.emissions, ...last.emissions]).toEqual([
      { type: 'init-objects', objects: [listed(a)] },
      { type: 'init-objects', objects: [listed(b)] },
      { type: 'init-done', version: '10', wentBack: false },
    ]);
  });

  it('F-2: a failed page is requested again, and earlier pages are kept', () => {
    const { state, emissions } = run(listing, page('10', [], 'more'), failure(reset), waited(800));
    expect(state.activity).toMatchObject({ phase: 'listing', paging: 'pages', continue: 'more' });
    expect(emissions).not.toContainEqual({ type: 'init' });
  });

  it('F-2: the objects of a broken later page are kept, because its next answer has the same snapshot', () => {
    const [a, b] = [configMap('a', '3'), configMap('b', '4')];
    const { state, emissions } = run(listing, page('10', [a], 'more'), objects(b), failure(reset), waited(800));
    expect(state.activity).toMatchObject({ phase: 'listing', continue: 'more', received: 0 });
    expect(emissions).not.toContainEqual({ type: 'init' });
    expect(run(state, page('10', [b])).state.activity).toMatchObject({ phase: 'watching' });
  });

  it('F-2: the objects of a broken first page are discarded, because its next answer may have another snapshot', () => {
    const { state, emissions } = run(listing, objects(configMap('a', '3')), failure(reset), waited(800));
    expect(state.activity).toMatchObject({ phase: 'listing', continue: undefined, received: 0 });
    expect(emissions.at(-1)).toEqual({ type: 'init' });
    expect(run(listing, failure(reset)).emissions).toEqual([]);
  });

  it('F-26: pages count as small by all objects that have arrived', () => {
    let state = listing;
    for (let number = 0; number < 101; number++) {
      state = run(state, objects(...objectsOf(250)), page('10', objectsOf(250), `page-${number}`)).state;
    }
    expect(state.activity).toMatchObject({ phase: 'listing', smallPages: 0 });
  });

  it('F-26: empty pages are requested with backoff', () => {
    let state = listing;
    const delays: number[] = [];
    for (let number = 0; number < 9; number++) {
      state = run(state, page('10', [], `page-${number}`)).state;
      const { activity } = state;
      delays.push(activity.phase === 'waiting' ? activity.delay : 0);
      if (activity.phase === 'waiting') state = run(state, waited()).state;
    }
    expect(delays).toEqual([0, 0, 0, 800, 1_600, 3_200, 6_400, 12_800, 20_000]);
    expect(state.error?.message).toBe('the list continues after 9 pages of fewer than 500 objects: slowing down');
    expect(run(state, page('10', [])).state).toMatchObject({ error: undefined, activity: { phase: 'watching' } });
  });

  const objectsOf = (size: number) => Array.from({ length: size }, (_, index) => configMap(`a-${index}`, '3'));

  it.each([
    [1, 1_000],
    [49, 1_000],
    [50, 50],
    [60, 50],
    [499, 50],
  ])('F-26: after 100 pages of %d objects, the next page is requested after %d ms', (size, delay) => {
    const items = objectsOf(size);
    let state = listing;
    for (let number = 0; number < 100; number++) {
      state = run(state, page('10', items, `page-${number}`)).state;
      expect(state.activity.phase).toBe('listing');
    }
    state = run(state, page('10', items, 'page-100')).state;
    expect(state.activity).toMatchObject({ phase: 'waiting', delay, wake: 'nothing', next: { continue: 'page-100' } });
    expect(state.error?.message).toBe('the list continues after 101 pages of fewer than 500 objects: slowing down');
    state = run(state, waited(), page('10', items)).state;
    expect(state).toMatchObject({ error: undefined, activity: { phase: 'watching' } });
  });

  it('F-26: full pages are requested at once, however many there are', () => {
    const items = objectsOf(500);
    let state = listing;
    for (let number = 0; number < 1_000; number++) state = run(state, page('10', items, `page-${number}`)).state;
    expect(state).toMatchObject({ error: undefined, activity: { phase: 'listing' } });
  });

  it('F-26: a continue token that leads to its own page starts the list again, with backoff', () => {
    const { state, emissions } = run(listing, page('10', [], 'more'), page('10', [], 'more'));
    expect(state.activity).toMatchObject({ delay: 0, next: { paging: 'whole', continue: undefined } });
    expect(emissions.at(-1)).toEqual({ type: 'init' });
    const again = run(state, waited(), page('10', [], 'x'), page('10', [], 'x'));
    expect(again.state.activity).toMatchObject({ delay: 800, next: { paging: 'whole', continue: undefined } });
  });

  it.each([2, 3, 7, 100])(
    'F-26: %d continue tokens that run in a circle start the list again, with backoff',
    (count) => {
      const circle = (from: ReflectorState) => {
        let state = from;
        for (let number = 0; state.activity.phase === 'listing' && number < 4 * count; number++) {
          state = run(state, page('10', objectsOf(500), `page-${number % count}`)).state;
        }
        return state;
      };
      const state = circle(listing);
      expect(state.activity).toMatchObject({ phase: 'waiting', next: { paging: 'whole', continue: undefined } });
      expect(state.error?.message).toContain('the server returned the same continue token again');
      expect(circle(run(state, waited()).state).activity).toMatchObject({ phase: 'waiting', delay: 800 });
    },
  );

  it.each([410, 400])('F-5: are listed again in one page if a continue token gets a %d', (code) => {
    const { state, emissions } = run(listing, page('10', [configMap('a', '3')], 'more'), failure(refusal(code)));
    expect(state.activity).toMatchObject({
      delay: 0,
      next: { phase: 'listing', paging: 'whole', continue: undefined },
    });
    expect(emissions.at(-1)).toEqual({ type: 'init' });
  });
});

describe('reflector: watching', () => {
  it('F-1: resumes from the version of the last event or bookmark after a clean end', () => {
    const { state, emissions } = run(watching, events(modified(configMap('a', '12'))), events(bookmark('17')), {
      type: 'end',
      at: 1,
    });
    expect(state).toMatchObject({ activity: { phase: 'watching' }, version: '17' });
    expect(emissions).not.toContainEqual({ type: 'init' });
  });

  it('F-1: resumes after a reset and a wait', () => {
    const { state, emissions } = run(watching, failure(reset), waited(800));
    expect(state).toMatchObject({ activity: { phase: 'watching', since: 800 }, version: '10' });
    expect(emissions).toEqual([]);
  });

  it('F-4: resumes after a silent stream', () => {
    const { state } = run(watching, failure(new SilentWatchError('no data')));
    expect(state.activity).toMatchObject({ phase: 'waiting', next: { phase: 'watching' } });
  });

  it('a stream that ends at once without an event counts as a failure', () => {
    const reopened = run(watching, { type: 'end', at: 0 }).state;
    expect(run(reopened, { type: 'end', at: 999 }).state.activity).toMatchObject({ phase: 'waiting', delay: 800 });
    expect(run(reopened, { type: 'end', at: 1_000 }).state.activity).toMatchObject({ phase: 'watching' });
    expect(run(reopened, events(bookmark('11')), { type: 'end', at: 1 }).state.activity).toMatchObject({
      phase: 'watching',
    });
  });

  it('F-5: lists again after a 410, before or within the stream', () => {
    for (const expired of [failure(refusal(410)), events(errorEvent(410, 'Expired'))]) {
      const { state, emissions } = run(watching, expired);
      expect(state.activity).toMatchObject({ phase: 'waiting', delay: 0, next: { phase: 'watch-listing' } });
      expect(emissions).toEqual([{ type: 'init' }]);
    }
  });

  it('F-22: lists again at once after a 410, regardless of earlier failures', () => {
    let state = watching;
    for (let round = 0; round < 6; round++) state = run(state, failure(reset), waited()).state;
    expect(run(state, failure(refusal(410))).state.activity).toMatchObject({
      delay: 0,
      next: { phase: 'watch-listing' },
    });
    const late = run(
      state,
      failure(refusal(410)),
      waited(),
      events(initialEventsEnd('10')),
      failure(refusal(410), 120_000),
    );
    expect(late.state.activity).toMatchObject({ delay: 0 });
  });

  it.each([
    ['recovery', new TransportError('refused', 'h', 'connection refused')],
    ['recovery', new TransportError('deadline', 'h', 'deadline passed')],
    ['recovery', new SilentWatchError('no data')],
    ['recovery', refusal(503)],
    ['recovery', refusal(500)],
    ['credentials', refusal(401)],
    ['credentials', new TransportError('credentials', 'h', 'no token')],
    ['kind', refusal(404)],
    ['kind', new NoKindMatchError({ apiVersion: 'example.com/v1', kind: 'Widget' })],
    ['nothing', refusal(429)],
    ['nothing', new TypeError('malformed')],
  ] as const)('F-22: %s ends the wait after %s', (wake, error) => {
    expect(run(watching, failure(error)).state.activity).toMatchObject({ phase: 'waiting', delay: 800, wake });
  });

  it('F-22: failures no longer count after their cause is over', () => {
    let state = watching;
    for (let round = 0; round < 6; round++) state = run(state, failure(reset), waited()).state;
    const woken = run(state, failure(reset), { type: 'waited', woken: true, at: 0 }, failure(reset)).state;
    expect(woken.activity).toMatchObject({ delay: 800 });
  });

  it('F-6, F-22: nothing ends a wait before Retry-After; afterwards it can end early', () => {
    let state = watching;
    for (let round = 0; round < 4; round++) state = run(state, failure(reset), waited()).state;
    const { activity } = run(state, failure(refusal(503, { retryAfterSeconds: 5 }))).state;
    expect(activity).toMatchObject({ delay: 12_800, notBefore: 5_000, wake: 'recovery' });
  });

  it('F-13: a stream that ends because its certificate was replaced resumes at once', () => {
    const rotated = new TransportError('rotated', 'h', 'credentials were replaced');
    expect(run(watching, failure(rotated, 60_000)).state).toMatchObject({
      activity: { phase: 'watching', since: 60_000 },
      error: undefined,
    });
  });

  it('F-26: a watch that repeatedly ends early is opened with backoff, and has an error until one lasts', () => {
    let state = watching;
    const delays: number[] = [];
    let at = 0;
    for (let round = 0; round < 10; round++) {
      state = run(state, { ...events(bookmark('11')), at }, { type: 'end', at }).state;
      const { activity } = state;
      if (activity.phase !== 'waiting') {
        delays.push(0);
        continue;
      }
      expect(activity).toMatchObject({ wake: 'nothing', next: { phase: 'watching' } });
      delays.push(activity.delay);
      at += activity.delay;
      state = run(state, waited(at)).state;
    }
    expect(delays).toEqual([0, 0, 0, 800, 1_600, 3_200, 6_400, 12_800, 20_000, 20_000]);
    expect(state.error?.message).toBe(
      'the server ended 10 watches in a row, each after less than 5000 ms: slowing down',
    );
    const early = run(state, { ...events(bookmark('12')), at: at + 4_999 }).state;
    expect(early.error).toBe(state.error);
    const lasting = run(early, { ...events(bookmark('13')), at: at + 5_000 }, { type: 'end', at: at + 5_001 }).state;
    expect(lasting).toMatchObject({ error: undefined, earlyEnds: 0, activity: { phase: 'watching' } });
  });

  it('F-26: a healthy server may end a watch early now and then', () => {
    let state = watching;
    for (let round = 0; round < 20; round++) {
      const at = round * 10_000;
      state = run(state, { type: 'end', at: at + 8_000 }, { ...events(bookmark('11')), at: at + 9_000 }).state;
      state = run(state, { type: 'end', at: at + 9_500 }).state;
      expect(state).toMatchObject({ error: undefined, activity: { phase: 'watching' } });
    }
  });

  it('F-5: repeated 410s are answered by lists with backoff', () => {
    let state = watching;
    const delays: number[] = [];
    for (let round = 0; round < 4; round++) {
      state = run(state, failure(refusal(410))).state;
      if (state.activity.phase === 'waiting') delays.push(state.activity.delay);
      state = run(state, waited(), events(initialEventsEnd('10'))).state;
    }
    expect(delays).toEqual([0, 800, 1_600, 3_200]);
  });

  it('lists again with backoff if the server does not watch from the version of its list', () => {
    const { state, emissions } = run(watching, failure(refusal(400)));
    expect(state.activity).toMatchObject({ phase: 'waiting', delay: 0, next: { phase: 'watch-listing' } });
    expect(emissions).toEqual([{ type: 'init' }]);
    const again = run(state, waited(), events(initialEventsEnd('10')), failure(refusal(400)));
    expect(again.state.activity).toMatchObject({ delay: 800 });
  });

  it('F-6: a 429 waits for the time that the server requests, and never causes a list', () => {
    const { state, emissions } = run(watching, failure(refusal(429, { retryAfterSeconds: 7 })));
    expect(state.activity).toMatchObject({ phase: 'waiting', delay: 7_000, next: { phase: 'watching' } });
    expect(emissions).toEqual([]);
    const first = run(start, failure(refusal(429, { retryAfterSeconds: 7 })));
    expect(first.state.activity).toMatchObject({ phase: 'waiting', delay: 7_000, next: { phase: 'watch-listing' } });
  });

  it('F-6: Retry-After does not shorten a backoff', () => {
    const { state } = run(watching, failure(reset), waited(), failure(refusal(429, { retryAfterSeconds: 1 })));
    expect(state.activity).toMatchObject({ delay: 1_600 });
  });

  it('F-7: backs off from 0.8 s, doubling, and starts again after two minutes of health', () => {
    let state = watching;
    const delays: number[] = [];
    for (let round = 0; round < 8; round++) {
      state = run(state, failure(reset)).state;
      if (state.activity.phase === 'waiting') delays.push(state.activity.delay);
      state = run(state, waited()).state;
    }
    expect(delays).toEqual([800, 1_600, 3_200, 6_400, 12_800, 20_000, 20_000, 20_000]);
    expect(run(state, failure(reset, 119_999)).state.activity).toMatchObject({ delay: 20_000 });
    expect(run(state, failure(reset, 120_000)).state.activity).toMatchObject({ delay: 800 });
  });

  it('F-8: a version that the server has not reached is not requested again', () => {
    const tooLarge = refusal(504, { reason: 'Timeout', cause: 'ResourceVersionTooLarge', retryAfterSeconds: 1 });
    const { state } = run(watching, failure(tooLarge));
    expect(state.activity).toMatchObject({ phase: 'waiting', delay: 1_000, next: { phase: 'watch-listing' } });
    expect(run(watching, failure(refusal(504, { reason: 'Timeout' }))).state.activity).toMatchObject({
      next: { phase: 'watching' },
    });
  });

  it('F-9: a list that is older than the last version is accepted and logged', () => {
    const step = run(watching, failure(refusal(410)), waited(), events(initialEventsEnd('9')));
    expect(step.emissions.at(-1)).toEqual({ type: 'init-done', version: '9', wentBack: true });
    expect(step.notice?.fields).toEqual({ from: '10', to: '9' });
    expect(step.state.version).toBe('9');
  });

  it('F-9: a watch that goes back is closed, and later events are ignored', () => {
    const c = modified(configMap('c', '11'));
    const { state, emissions } = run(watching, events(c, modified(configMap('a', '7')), deleted(configMap('b', '12'))));
    expect(emissions).toEqual([{ type: 'changes', objects: [c], version: '11' }, { type: 'init' }]);
    expect(state).toMatchObject({ activity: { delay: 0, next: { phase: 'watch-listing' } }, version: '11' });
    expect(state.error?.message).toContain('went back from resource version 11 to 7');
  });

  it('F-11: another ERROR event waits and resumes, and keeps earlier events', () => {
    const change = modified(configMap('a', '11'));
    const { state, emissions } = run(
      watching,
      events(change, errorEvent(500, 'InternalError'), added(configMap('b', '12'))),
    );
    expect(emissions).toEqual([{ type: 'changes', objects: [change], version: '11' }]);
    expect(state).toMatchObject({ activity: { phase: 'waiting', next: { phase: 'watching' } }, version: '11' });
  });

  it('clears its error when the server responds again', () => {
    const failed = run(watching, failure(reset)).state;
    expect(failed.error).toBe(reset);
    expect(run(failed, waited(800), events(bookmark('11'))).state.error).toBeUndefined();
  });

  it('F-11: accepts an ERROR event with any status', () => {
    const malformed = { details: { causes: {}, retryAfterSeconds: 'soon' } } as unknown as Status;
    const { state } = run(watching, events({ type: 'ERROR', object: malformed }));
    expect(state.activity).toMatchObject({ phase: 'waiting', delay: 800, next: { phase: 'watching' } });
  });

  it('SH-19: another shard starts again, whatever happens now', () => {
    const resharded: Input = { type: 'resharded', at: 0 };
    const waiting = run(watching, failure(reset)).state;
    const page1 = run(listing, page('10', [configMap('a', '3')], 'token')).state;
    for (const state of [start, watching, waiting]) {
      const again = run(state, resharded);
      expect(again.emissions).toEqual([{ type: 'init' }]);
      expect(again.state.activity).toMatchObject({ phase: 'waiting', delay: 0, next: { phase: 'watch-listing' } });
    }
    expect(run(page1, resharded).state.activity).toMatchObject({
      phase: 'waiting',
      delay: 0,
      next: { phase: 'listing', paging: 'pages', continue: undefined, pages: 0 },
    });
    // A version that goes back is still noticed.
    expect(run(watching, resharded, waited(), events(initialEventsEnd('7'))).emissions).toContainEqual({
      type: 'init-done',
      version: '7',
      wentBack: true,
    });
  });

  it('SH-19: a page whose objects are outside of the shard counts as the server filled it', () => {
    const batch = { ...packObjects('listed', [configMap('a', '3')]), omitted: 499 };
    const full: Input[] = [
      { type: 'objects', batch, at: 0 },
      { type: 'page', metadata: { resourceVersion: '10', continue: 'token' }, at: 0 },
    ];
    expect(run(listing, full).state.activity).toMatchObject({ phase: 'listing', smallPages: 0, emptyPages: 0 });
  });

  it('refuses an input that does not fit its state', () => {
    expect(() => run(watching, page('1', []))).toThrow('received a page while watching');
    expect(() => run(watching, waited())).toThrow('received the end of a wait while watching');
  });
});
