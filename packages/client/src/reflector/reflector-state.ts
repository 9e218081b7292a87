import type { KubernetesList, KubernetesObject } from '../kinds/object.ts';
import type { WatchEvent } from '../watch/watch-event.ts';
import type { Failure, Wake } from './failure.ts';

/** Objects per page of a list. API servers fill every page but the last. */
export const PAGE_SIZE = 500;

/** A reflector's state: what it is doing, and what it remembers whatever it is doing. Instants are the clock's. */
export interface ReflectorState {
  readonly activity: Activity;
  /** The newest version that a list, an event or a bookmark has shown; `''` at first. */
  readonly version: string;
  /** Whether the server has said that it knows no WatchList; once set, initial objects are listed. */
  readonly watchListRefused: boolean;
  /** Whether watches of this server have told how far they are, so that one that does not is broken. */
  readonly sendsBookmarks: boolean;
  /** Why the latest request failed; `undefined` since one went well. */
  readonly error: Error | undefined;
  /** Failures since the server was last healthy for a while. */
  readonly failures: number;
  /** Times in a row that everything had to be listed again because a watch could not be resumed. */
  readonly restarts: number;
  /** Time of the last such relist. */
  readonly restartedAt: number;
  /** Watches in a row that the server ended early. */
  readonly earlyEnds: number;
  /** Since when requests are made and none has failed. */
  readonly healthySince: number;
  /** When the server was last heard. */
  readonly heardAt: number;
}

export type Activity = Request | Waiting;
export type Request = Listing | WatchListing | Watching;

/**
 * Getting the objects by lists. Left after the last page (watching). A failure waits, then asks for the same page; an
 * expired token begins again with the whole list in one page, and one that is forbidden with a WatchList, if there is.
 */
export interface Listing {
  readonly phase: 'listing';
  readonly paging: 'pages' | 'whole';
  /** The token of the next page; `undefined` for the first. */
  readonly continue: string | undefined;
  /** Number of pages so far with fewer objects than {@link PAGE_SIZE}, except the last page. */
  readonly smallPages: number;
  /** Number of latest pages in a row without objects. */
  readonly emptyPages: number;
}

/**
 * Getting the objects as the first events of a watch (WatchList, KEP-3157). Left at the bookmark that ends them
 * (watching, in the same stream). A server that ends it, falls silent or forbids it is listed instead (listing) this
 * time, one that does not know it always; other failures wait and begin again.
 */
export interface WatchListing {
  readonly phase: 'watch-listing';
}

/**
 * Following changes from {@link ReflectorState.version}. The end of the stream and most failures resume from there;
 * a version that the server cannot or will not serve, and one that goes backwards, begin again (watch-listing or listing).
 */
export interface Watching {
  readonly phase: 'watching';
  /** When the stream was opened. */
  readonly since: number;
  /** Whether an event has arrived on the stream. */
  readonly heard: boolean;
}

/**
 * The state after every failed request. Ends after `delay` ms plus jitter (0 is at once), or earlier by `wake`.
 */
export interface Waiting {
  readonly phase: 'waiting';
  readonly delay: number;
  readonly wake: Wake;
  /** Earliest end of the wait by `wake`, in milliseconds, before jitter. */
  readonly notBefore: number;
  readonly next: Request;
}

/** What happened. `at` is when. */
export type ReflectorInput<T extends KubernetesObject> = { readonly at: number } & (
  | { readonly type: 'page'; readonly list: KubernetesList<T> }
  | { readonly type: 'events'; readonly events: readonly WatchEvent<T>[] }
  | { readonly type: 'end' }
  | { readonly type: 'failure'; readonly failure: Failure }
  /** `woken`: the cause of the failures is over, so they no longer count. */
  | { readonly type: 'waited'; readonly woken?: boolean }
);

export type Change<T extends KubernetesObject> = Extract<
  WatchEvent<T>,
  { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' }
>;

/**
 * What a reflector tells. Initial objects come between `init` and `init-done` and are to be put in place together,
 * at `init-done`; until then what was there before is still the best that is known. (Upstream: kube-rs'
 * `watcher::Event`.)
 */
export type Emission<T extends KubernetesObject> =
  /** Initial objects follow; forget those of an `init` that was not done. */
  | { readonly type: 'init' }
  | { readonly type: 'init-objects'; readonly objects: readonly T[] }
  /** These are not there any more, whichever of their versions came before. */
  | { readonly type: 'init-deleted'; readonly objects: readonly T[] }
  /** After `wentBack` a version that was seen before may stand for something else: the server has been restored. */
  | { readonly type: 'init-done'; readonly version: string; readonly wentBack: boolean }
  /** `changes` may be empty: then only the version has advanced. */
  | { readonly type: 'changes'; readonly changes: readonly Change<T>[]; readonly version: string };

export interface Step<T extends KubernetesObject> {
  readonly state: ReflectorState;
  /** In this order. */
  readonly emissions: readonly Emission<T>[];
  /** Something unusual for the log. */
  readonly notice?: string;
}

/** The state before the first request. */
export function initialState(at: number): ReflectorState {
  return {
    activity: { phase: 'watch-listing' },
    version: '',
    watchListRefused: false,
    sendsBookmarks: false,
    error: undefined,
    failures: 0,
    restarts: 0,
    restartedAt: -Infinity,
    earlyEnds: 0,
    healthySince: at,
    heardAt: at,
  };
}
