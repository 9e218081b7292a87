import { backoffDelay } from '../clock/backoff.ts';
import { isForbidden } from '../response/api-error.ts';
import type { KubernetesList } from '../kinds/object.ts';
import { compareResourceVersions } from '../kinds/resource-version.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import type { WatchItem } from '../packed/watch-scanner.ts';
import { INITIAL_EVENTS_END } from '../packed/watch-event.ts';
import { ascending } from './ascending-versions.ts';
import { statusOf } from '../response/status.ts';
import type { Failure } from './failure.ts';
import { failureOfStatus, wakeOf } from './failure.ts';
import { PAGE_SIZE } from './reflector-state.ts';
import type {
  Activity,
  Emission,
  Listing,
  ReflectorInput,
  ReflectorState,
  Request,
  Step,
  Waiting,
  Watching,
  WatchListing,
} from './reflector-state.ts';

/** Backoff of failures, in milliseconds. The reflector adds jitter of up to half, so no wait exceeds 30 s. */
const RETRY = { base: 800, max: 20_000, jitter: 0 };
/** Time without a failure after which the next failure counts as the first, in milliseconds. */
const HEALTH = 120_000;
/**
 * A stream that ends sooner than this without an event counts as a failure. (Upstream: client-go's
 * `VeryShortWatchError`.)
 */
const SHORTEST_WATCH = 1_000;
/** A stream that ends sooner than this ended early, even if events arrived on it. */
const EARLY_END = 5_000;
/** Number of early ends in a row without backoff: a healthy server also ends a watch early now and then. */
const FREE_EARLY_ENDS = 3;
/** Number of small pages, and of empty pages in a row, of one list that are requested without a delay. */
const FREE_SMALL_PAGES = 100;
const FREE_EMPTY_PAGES = 3;
/** Delay between further small pages, in milliseconds, before jitter: at most 20 pages per second. */
const SMALL_PAGE_DELAY = 50;
/** A small page with fewer objects is thin. */
const THIN_PAGE = 50;
/** Delay after a thin page, in milliseconds. */
const THIN_PAGE_DELAY = 1_000;
/** Minimum wait for a CustomResourceDefinition in milliseconds, even if it changes more often. */
const LEAST_KIND_DELAY = 200;

const WATCH_LIST: WatchListing = { phase: 'watch-listing' };
const FIRST_PAGE: Listing = {
  phase: 'listing',
  paging: 'pages',
  continue: undefined,
  received: 0,
  pages: 0,
  checkpoint: undefined,
  smallPages: 0,
  emptyPages: 0,
};
/** Failures after which the version of a watch or the token of a page cannot be used again. */
const MUST_RESTART: ReadonlySet<Failure['reason']> = new Set([
  'expired',
  'version-too-large',
  'went-back',
  'refused',
  'outgrown',
  'unusable',
]);

/** Decides the next step of a reflector. Pure. */
export function transition(state: ReflectorState, input: ReflectorInput): Step {
  switch (input.type) {
    case 'objects':
      return objectsListed(state, input.batch, input.at);
    case 'page':
      return pageEnded(state, input.metadata, input.at);
    case 'events':
      return state.activity.phase === 'watch-listing'
        ? initialEventsArrived(state, input.items, input.at)
        : changesArrived(state, input.items, input.at);
    case 'end':
      return streamEnded(state, input.at);
    case 'failure':
      return requestFailed(state, input.failure, input.at);
    case 'waited':
      return waited(state, input);
    case 'resharded':
      return restart(state, state.watchListRefused ? FIRST_PAGE : WATCH_LIST);
  }
}

function objectsListed(state: ReflectorState, batch: PackedBatch, at: number): Step {
  const { activity } = state;
  if (activity.phase !== 'listing') throw unexpected('objects of a list', activity);
  // A page counts as the server filled it.
  const received = activity.received + batch.length + (batch.omitted ?? 0);
  return {
    state: { ...state, heardAt: at, activity: { ...activity, received } },
    emissions: [{ type: 'init-objects', batch }],
  };
}

function pageEnded(state: ReflectorState, metadata: KubernetesList<unknown>['metadata'], at: number): Step {
  const { activity } = state;
  if (activity.phase !== 'listing') throw unexpected('a page', activity);
  const heard = { ...state, error: undefined, heardAt: at };
  return metadata.continue
    ? nextPage(heard, activity, { token: metadata.continue, at })
    : initialObjectsDone(heard, metadata.resourceVersion, at);
}

/** Delays the next page after many small ones, so that an endless list does not run at the speed of the connection. */
function nextPage(
  state: ReflectorState,
  activity: Listing,
  { token, at }: { readonly token: string; readonly at: number },
): Step {
  if (token === activity.continue || token === activity.checkpoint) {
    const error = new Error(
      'the server returned the same continue token again, so the list would never end: listing again',
    );
    return requestFailed(state, { error, reason: 'unusable' }, at);
  }
  const size = activity.received;
  const pages = activity.pages + 1;
  const isSmall = size < PAGE_SIZE;
  const next: Listing = {
    ...activity,
    continue: token,
    received: 0,
    pages,
    checkpoint: (pages & (pages - 1)) === 0 ? token : activity.checkpoint,
    smallPages: activity.smallPages + (isSmall ? 1 : 0),
    emptyPages: size === 0 ? activity.emptyPages + 1 : 0,
  };
  const isLimited = isSmall && next.smallPages > FREE_SMALL_PAGES;
  const limit = size < THIN_PAGE ? THIN_PAGE_DELAY : SMALL_PAGE_DELAY;
  const delay = Math.max(isLimited ? limit : 0, backoffDelay(RETRY, next.emptyPages - FREE_EMPTY_PAGES));
  if (delay === 0) return { state: { ...state, activity: next }, emissions: [] };
  const error = new Error(
    `the list continues after ${next.smallPages} pages of fewer than ${PAGE_SIZE} objects: slowing down`,
  );
  return { state: { ...state, error, activity: limited(delay, next) }, emissions: [] };
}

function initialEventsArrived(state: ReflectorState, items: readonly WatchItem[], at: number): Step {
  const emissions: Emission[] = [];
  const collected = (): Step => ({ state: { ...state, error: undefined, heardAt: at }, emissions });
  for (const [index, item] of items.entries()) {
    if (item.type === 'ERROR') {
      return requestFailed(state, failureOfStatus(statusOf(item.object)), at);
    } else if (item.type === 'objects') {
      // Changes during the initial events may come among them, with their own types.
      emissions.push({ type: 'init-objects', batch: item.batch });
    } else if (item.object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true') {
      const version = item.object.metadata.resourceVersion;
      const done = andThen(collected(), (heard) => initialObjectsDone(heard, version, at));
      return andThen(done, (watching) => changesArrived(watching, items.slice(index + 1), at));
    }
  }
  return collected();
}

function initialObjectsDone(state: ReflectorState, version: string, at: number): Step {
  const wentBack = isOlder(version, state.version);
  // A WatchList continues in the same stream.
  const heard = state.activity.phase === 'watch-listing';
  return {
    state: { ...state, version, activity: { phase: 'watching', since: at, heard } },
    emissions: [{ type: 'init-done', version, wentBack }],
    ...(wentBack && {
      notice: {
        message: 'resource version went back, the server may have been restored',
        fields: { from: state.version, to: version },
      },
    }),
  };
}

function changesArrived(state: ReflectorState, items: readonly WatchItem[], at: number): Step {
  const { activity } = state;
  if (activity.phase !== 'watching') throw unexpected('a change', activity);
  if (items.length === 0) return { state, emissions: [] };

  let { version, sendsBookmarks } = state;
  let failure: Failure | undefined;
  const emissions: Emission[] = [];
  for (const item of items) {
    if (item.type === 'ERROR') {
      failure = failureOfStatus(statusOf(item.object));
    } else if (item.type === 'BOOKMARK') {
      const { resourceVersion } = item.object.metadata;
      if (isOlder(resourceVersion, version)) {
        failure = wentBack(version, resourceVersion);
      } else {
        sendsBookmarks = true;
        if (resourceVersion !== version) emissions.push({ type: 'progress', version: resourceVersion });
        version = resourceVersion;
      }
    } else {
      const ascent = ascending(item.batch, version);
      version = ascent.version;
      if (ascent.batch.length > 0) emissions.push({ type: 'changes', batch: ascent.batch, version });
      if (ascent.next !== undefined) failure = wentBack(version, ascent.next);
    }
    if (failure) break;
  }
  const followed: Step = {
    state: { ...healthy(state, activity, at), version, sendsBookmarks, activity: { ...activity, heard: true } },
    emissions,
  };
  return failure ? andThen(followed, (heard) => requestFailed(heard, failure, at)) : followed;
}

function wentBack(from: string, to: string): Failure {
  return { error: new Error(`a watch went back from resource version ${from} to ${to}`), reason: 'went-back' };
}

function streamEnded(state: ReflectorState, at: number): Step {
  const { activity } = state;
  if (activity.phase === 'watch-listing') {
    return listInstead(state, new Error('the server ended the watch before the initial events were complete'));
  }
  if (activity.phase !== 'watching') throw unexpected('the end of a watch', activity);
  if (!activity.heard && at - activity.since < SHORTEST_WATCH) {
    return requestFailed(state, { error: new Error('the server ended the watch immediately'), reason: 'other' }, at);
  }
  const heard = healthy(state, activity, at);
  const again: Request = { phase: 'watching', since: at, heard: false };
  if (at - activity.since >= EARLY_END) return { state: { ...heard, activity: again }, emissions: [] };
  const earlyEnds = state.earlyEnds + 1;
  if (earlyEnds <= FREE_EARLY_ENDS) return { state: { ...heard, earlyEnds, activity: again }, emissions: [] };
  const error = new Error(
    `the server ended ${earlyEnds} watches in a row, each after less than ${EARLY_END} ms: slowing down`,
  );
  const activityLater = limited(backoffDelay(RETRY, earlyEnds - FREE_EARLY_ENDS), again);
  return { state: { ...heard, earlyEnds, error, activity: activityLater }, emissions: [] };
}

/** Handles an event on a watch. The count of early ends is kept until the watch has lasted for a while. */
function healthy(state: ReflectorState, { since }: Watching, at: number): ReflectorState {
  const lasts = at - since >= EARLY_END;
  const isLimited = state.earlyEnds > FREE_EARLY_ENDS && !lasts;
  return {
    ...state,
    heardAt: at,
    earlyEnds: lasts ? 0 : state.earlyEnds,
    error: isLimited ? state.error : undefined,
  };
}

function requestFailed(state: ReflectorState, failure: Failure, at: number): Step {
  const { activity } = state;
  if (activity.phase === 'waiting') throw unexpected('a failure', activity);
  const { error, reason } = failure;
  // The client itself ended the stream to use its new credentials.
  if (reason === 'rotated' && activity.phase === 'watching') return streamEnded(state, at);
  if (activity.phase === 'watch-listing') {
    // A server without WatchList is not a failure.
    if (reason === 'refused') return listInstead({ ...state, watchListRefused: true }, state.error);
    if (reason === 'silent' || isForbidden(error)) return listInstead(state, error);
  }
  const mustRestart = MUST_RESTART.has(reason);
  if (activity.phase === 'listing' && activity.paging === 'pages' && activity.continue && mustRestart) {
    return restart({ ...state, error }, { ...FIRST_PAGE, paging: 'whole' });
  }
  if (activity.phase === 'watching' && mustRestart) return watchLost(state, failure, at);

  const failures = at - state.healthySince >= HEALTH ? 1 : state.failures + 1;
  const wait = waitAfter(failure, backoffDelay(RETRY, failures));
  const failed = { ...state, error, failures, healthySince: at };
  // Discard objects that were stored from an unusable page.
  if (activity.phase === 'listing' && mustRestart)
    return restart(failed, { ...FIRST_PAGE, paging: activity.paging }, wait);
  // A WatchList may be permitted where a list is forbidden, and vice versa, so they are tried in turn.
  const retriesWatchList = isForbidden(error) && !state.watchListRefused && activity.phase === 'listing';
  if (activity.phase === 'watch-listing' || retriesWatchList) return restart(failed, WATCH_LIST, wait);
  if (activity.phase !== 'listing')
    return { state: { ...failed, activity: { ...wait, next: activity } }, emissions: [] };
  const samePage: Listing = { ...activity, received: 0 };
  const isFirst = activity.continue === undefined;
  if (isFirst && activity.received > 0) return restart(failed, samePage, wait);
  return { state: { ...failed, activity: { ...wait, next: samePage } }, emissions: [] };
}

/**
 * Lists everything again. The first time without a delay, because an outage often outlasts the history, and the server responds
 * by now. Repeated relists back off, so that a watch that can never be resumed does not cause a tight loop.
 */
function watchLost(state: ReflectorState, failure: Failure, at: number): Step {
  const restarts = at - state.restartedAt >= HEALTH ? 1 : state.restarts + 1;
  const lost = { ...state, error: failure.error, restarts, restartedAt: at, healthySince: at };
  const wait = { ...waitAfter(failure, backoffDelay(RETRY, restarts - 1)), wake: 'nothing' as const };
  return restart(lost, state.watchListRefused ? FIRST_PAGE : WATCH_LIST, wait);
}

type Wait = Omit<Waiting, 'next'>;

const NO_WAIT: Wait = { phase: 'waiting', delay: 0, wake: 'nothing', notBefore: 0 };

function waitAfter(failure: Failure, delay: number): Wait {
  const { retryAfter = 0 } = failure;
  const wake = wakeOf(failure);
  const notBefore = Math.max(retryAfter, wake === 'kind' ? LEAST_KIND_DELAY : 0);
  return { phase: 'waiting', delay: Math.max(delay, retryAfter), wake, notBefore };
}

/** Returns a wait that limits the request rate. */
function limited(delay: number, next: Request): Waiting {
  return { ...NO_WAIT, delay, next };
}

function waited(state: ReflectorState, { at, woken }: Extract<ReflectorInput, { type: 'waited' }>): Step {
  const { activity } = state;
  if (activity.phase !== 'waiting') throw unexpected('the end of a wait', activity);
  const { next } = activity;
  const request: Request = next.phase === 'watching' ? { phase: 'watching', since: at, heard: false } : next;
  const failures = woken ? 0 : state.failures;
  return { state: { ...state, failures, healthySince: at, activity: request }, emissions: [] };
}

/** Fetches the initial objects with lists, this time. */
function listInstead(state: ReflectorState, error: Error | undefined): Step {
  return restart({ ...state, error }, FIRST_PAGE);
}

/** Starts to fetch all objects again. Objects collected so far are discarded. */
function restart(state: ReflectorState, next: Listing | WatchListing, wait: Wait = NO_WAIT): Step {
  return { state: { ...state, activity: { ...wait, next } }, emissions: [{ type: 'init' }] };
}

function andThen(first: Step, next: (state: ReflectorState) => Step): Step {
  const second = next(first.state);
  return { ...first, ...second, emissions: [...first.emissions, ...second.emissions] };
}

function isOlder(version: string, than: string): boolean {
  const order = compareResourceVersions(version, than);
  return order !== undefined && order < 0;
}

function unexpected(input: string, { phase }: Activity): Error {
  return new Error(`the reflector received ${input} while ${phase}`);
}
