import { isForbidden } from '../client/api-error.ts';
import type { KubernetesList, KubernetesObject } from '../kinds/object.ts';
import { compareResourceVersions } from '../kinds/resource-version.ts';
import type { WatchEvent } from '../watch/watch-event.ts';
import { INITIAL_EVENTS_END } from '../watch/watch-event.ts';
import type { Failure } from './failure.ts';
import { failureOfStatus } from './failure.ts';
import type {
  Activity,
  Change,
  Emission,
  Listing,
  ReflectorInput,
  ReflectorState,
  Request,
  Step,
  WatchListing,
} from './reflector-state.ts';

/** Backoff of failures, before jitter. With the jitter of at most half as much again no wait is above 30 s. */
const FIRST_DELAY = 800;
const LONGEST_DELAY = 20_000;
/** After so long without a failure the next one counts as the first. */
const HEALTH = 120_000;
/** A stream that ends sooner than this and told nothing counts as a failure. (Upstream: client-go's `VeryShortWatchError`.) */
const SHORTEST_WATCH = 1_000;

const WATCH_LIST: WatchListing = { phase: 'watch-listing' };
const FIRST_PAGE: Listing = { phase: 'listing', paging: 'pages', continue: undefined };
/** Failures after which the version of a watch, or the token of a further page, is of no more use. */
const MUST_BEGIN_AGAIN: ReadonlySet<Failure['reason']> = new Set([
  'expired',
  'version-too-large',
  'went-back',
  'refused',
]);

/** The one place that says how a reflector goes on. Pure. */
export function transition<T extends KubernetesObject>(state: ReflectorState, input: ReflectorInput<T>): Step<T> {
  switch (input.type) {
    case 'page':
      return pageArrived(state, input.list, input.at);
    case 'events':
      return state.activity.phase === 'watch-listing'
        ? initialEventsArrived(state, input.events, input.at)
        : changesArrived(state, input.events, input.at);
    case 'end':
      return streamEnded(state, input.at);
    case 'failure':
      return requestFailed(state, input.failure, input.at);
    case 'waited':
      return waited(state, input.at);
  }
}

function pageArrived<T extends KubernetesObject>(state: ReflectorState, list: KubernetesList<T>, at: number): Step<T> {
  const { activity } = state;
  if (activity.phase !== 'listing') throw unexpected('a page', activity);
  const page: Step<T> = {
    state: { ...state, error: undefined, heardAt: at },
    emissions: [{ type: 'init-objects', objects: list.items }],
  };
  const token = list.metadata.continue;
  return token
    ? { ...page, state: { ...page.state, activity: { ...activity, continue: token } } }
    : andThen(page, (heard) => initialObjectsDone(heard, list.metadata.resourceVersion, at));
}

function initialEventsArrived<T extends KubernetesObject>(
  state: ReflectorState,
  events: readonly WatchEvent<T>[],
  at: number,
): Step<T> {
  const emissions: Emission<T>[] = [];
  let last: { readonly type: 'init-objects' | 'init-deleted'; readonly objects: T[] } | undefined;
  const collected = (): Step<T> => ({ state: { ...state, error: undefined, heardAt: at }, emissions });
  for (const [index, event] of events.entries()) {
    if (event.type === 'ERROR') {
      return requestFailed(state, failureOfStatus(event.object), at);
    } else if (event.type !== 'BOOKMARK') {
      // What changes while the initial events are being sent may come among them, as what it is.
      const type = event.type === 'DELETED' ? 'init-deleted' : 'init-objects';
      if (last?.type !== type) emissions.push((last = { type, objects: [] }));
      last.objects.push(event.object);
    } else if (event.object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true') {
      const version = event.object.metadata.resourceVersion;
      const done = andThen(collected(), (heard) => initialObjectsDone<T>(heard, version, at));
      return andThen(done, (watching) => changesArrived(watching, events.slice(index + 1), at));
    }
  }
  return collected();
}

function initialObjectsDone<T extends KubernetesObject>(state: ReflectorState, version: string, at: number): Step<T> {
  const wentBack = isOlder(version, state.version);
  // A WatchList goes on in the stream in which it came.
  const heard = state.activity.phase === 'watch-listing';
  return {
    state: { ...state, version, activity: { phase: 'watching', since: at, heard } },
    emissions: [{ type: 'init-done', version, wentBack }],
    ...(wentBack && {
      notice: `the resource version went back from ${state.version} to ${version}: the server may have been restored`,
    }),
  };
}

function changesArrived<T extends KubernetesObject>(
  state: ReflectorState,
  events: readonly WatchEvent<T>[],
  at: number,
): Step<T> {
  const { activity } = state;
  if (activity.phase !== 'watching') throw unexpected('a change', activity);
  if (events.length === 0) return { state, emissions: [] };

  let { version, sendsBookmarks } = state;
  let failure: Failure | undefined;
  const changes: Change<T>[] = [];
  for (const event of events) {
    if (event.type === 'ERROR') {
      failure = failureOfStatus(event.object);
      break;
    }
    const { resourceVersion } = event.object.metadata;
    if (isOlder(resourceVersion, version)) {
      failure = {
        error: new Error(`a watch went back from resource version ${version} to ${resourceVersion}`),
        reason: 'went-back',
      };
      break;
    }
    version = resourceVersion;
    if (event.type === 'BOOKMARK') sendsBookmarks = true;
    else changes.push(event);
  }
  const told: Step<T> = {
    state: { ...state, version, sendsBookmarks, error: undefined, heardAt: at, activity: { ...activity, heard: true } },
    emissions: version === state.version && changes.length === 0 ? [] : [{ type: 'changes', changes, version }],
  };
  return failure ? andThen(told, (heard) => requestFailed(heard, failure, at)) : told;
}

function streamEnded<T extends KubernetesObject>(state: ReflectorState, at: number): Step<T> {
  const { activity } = state;
  if (activity.phase === 'watch-listing') {
    return listInstead(state, new Error('the server ended the watch before the initial events were complete'));
  }
  if (activity.phase !== 'watching') throw unexpected('the end of a watch', activity);
  if (!activity.heard && at - activity.since < SHORTEST_WATCH) {
    return requestFailed(state, { error: new Error('the server ended the watch at once'), reason: 'other' }, at);
  }
  return {
    state: { ...state, error: undefined, heardAt: at, activity: { phase: 'watching', since: at, heard: false } },
    emissions: [],
  };
}

function requestFailed<T extends KubernetesObject>(state: ReflectorState, failure: Failure, at: number): Step<T> {
  const { activity } = state;
  if (activity.phase === 'waiting') throw unexpected('a failure', activity);
  const { error, reason } = failure;
  if (activity.phase === 'watch-listing') {
    // That a server knows no WatchList is no failure.
    if (reason === 'refused') return listInstead({ ...state, watchListRefused: true }, state.error);
    if (reason === 'silent' || isForbidden(error)) return listInstead(state, error);
  }
  if (activity.phase === 'listing' && activity.continue !== undefined && MUST_BEGIN_AGAIN.has(reason)) {
    return begin({ ...state, error }, { phase: 'listing', paging: 'whole', continue: undefined });
  }

  const failures = at - state.healthySince >= HEALTH ? 1 : state.failures + 1;
  const beginAgain = activity.phase === 'watching' && MUST_BEGIN_AGAIN.has(reason);
  // History may be too short by chance once; a server that can never be resumed must not be listed in a tight loop.
  const delay = Math.max(backoff(beginAgain ? failures - 1 : failures), failure.retryAfter ?? 0);
  const failed = { ...state, error, failures, healthySince: at };
  if (beginAgain) return begin(failed, state.watchListRefused ? FIRST_PAGE : WATCH_LIST, delay);
  // A list that is forbidden says no more than a WatchList that was: whichever is allowed first will do.
  const retriesWatchList = isForbidden(error) && !state.watchListRefused && activity.phase === 'listing';
  if (activity.phase === 'watch-listing' || retriesWatchList) return begin(failed, WATCH_LIST, delay);
  return { state: { ...failed, activity: { phase: 'waiting', delay, next: activity } }, emissions: [] };
}

function waited<T extends KubernetesObject>(state: ReflectorState, at: number): Step<T> {
  const { activity } = state;
  if (activity.phase !== 'waiting') throw unexpected('the end of a wait', activity);
  const { next } = activity;
  const request: Request = next.phase === 'watching' ? { phase: 'watching', since: at, heard: false } : next;
  return { state: { ...state, healthySince: at, activity: request }, emissions: [] };
}

/** Gets the initial objects by lists, this time. */
function listInstead<T extends KubernetesObject>(state: ReflectorState, error: Error | undefined): Step<T> {
  return begin({ ...state, error }, FIRST_PAGE);
}

/** Gets all objects anew, after `delay` ms. What has been collected of them is of no use. */
function begin<T extends KubernetesObject>(state: ReflectorState, request: Listing | WatchListing, delay = 0): Step<T> {
  return { state: { ...state, activity: { phase: 'waiting', delay, next: request } }, emissions: [{ type: 'init' }] };
}

function andThen<T extends KubernetesObject>(first: Step<T>, next: (state: ReflectorState) => Step<T>): Step<T> {
  const second = next(first.state);
  return { ...first, ...second, emissions: [...first.emissions, ...second.emissions] };
}

function backoff(failures: number): number {
  return failures <= 0 ? 0 : Math.min(FIRST_DELAY * 2 ** (failures - 1), LONGEST_DELAY);
}

function isOlder(version: string, than: string): boolean {
  const order = compareResourceVersions(version, than);
  return order !== undefined && order < 0;
}

function unexpected(input: string, { phase }: Activity): Error {
  return new Error(`the reflector was given ${input} while ${phase}`);
}
