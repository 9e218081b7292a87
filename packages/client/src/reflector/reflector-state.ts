import type { KubernetesList } from '../kinds/object.ts';
import type { LogFields } from '../log/logger.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import type { WatchItem } from '../packed/watch-scanner.ts';
import type { Failure, Wake } from './failure.ts';

/** Objects per page of a list. API servers fill every page except the last. */
export const PAGE_SIZE = 500;

/** A reflector's current activity, and the facts that it keeps across activities. Instants are those of the clock. */
export interface ReflectorState {
  readonly activity: Activity;
  /** Newest version seen in a list, an event or a bookmark; initially `''`. */
  readonly version: string;
  /** Whether the server does not support WatchList. Once set, initial objects are always listed. */
  readonly watchListRefused: boolean;
  /** Whether watches of this server send bookmarks, so that a watch without bookmarks is broken. */
  readonly sendsBookmarks: boolean;
  /** Why the latest request failed; `undefined` after a success. */
  readonly error: Error | undefined;
  /** Number of failures since the last period without any failure. */
  readonly failures: number;
  /** Consecutive relists because a watch could not be resumed. */
  readonly restarts: number;
  /** Time of the last such relist. */
  readonly restartedAt: number;
  /** Consecutive watches that the server ended early. */
  readonly earlyEnds: number;
  /** Time since which no request has failed. */
  readonly healthySince: number;
  /** Time of the last data from the server. */
  readonly heardAt: number;
}

export type Activity = Request | Waiting;
export type Request = Listing | WatchListing | Watching;

/**
 * Fetches the objects with lists. Ends after the last page (watching). A failure waits and requests the same page
 * again; if objects of the first page have arrived, they are discarded, because its next answer is another snapshot. An
 * expired token starts again with the whole list in one page. A forbidden list is retried as a WatchList, if the server
 * supports it.
 */
export interface Listing {
  readonly phase: 'listing';
  readonly paging: 'pages' | 'whole';
  /** Token of the next page; `undefined` for the first page. */
  readonly continue: string | undefined;
  /** Number of objects of this page that have arrived. */
  readonly received: number;
  /** Number of pages so far, except the last page. */
  readonly pages: number;
  /** The token after the latest page whose number is a power of two: if it comes again, the tokens run in a circle. */
  readonly checkpoint: string | undefined;
  /** Number of pages so far with fewer objects than {@link PAGE_SIZE}, except the last page. */
  readonly smallPages: number;
  /** Number of consecutive latest pages without objects. */
  readonly emptyPages: number;
}

/**
 * Fetches the objects as the first events of a watch (WatchList, KEP-3157). Ends at the bookmark after the initial
 * events (watching, in the same stream). If the server ends the stream, falls silent or forbids it, the objects are
 * listed instead (listing), this time; if the server does not support WatchList, always. Other failures wait and start
 * again.
 */
export interface WatchListing {
  readonly phase: 'watch-listing';
}

/**
 * Follows changes from {@link ReflectorState.version}. The end of the stream and most failures resume from that
 * version. A version that the server cannot or will not serve, or that goes backwards, starts again (watch-listing or
 * listing).
 */
export interface Watching {
  readonly phase: 'watching';
  /** Time when the stream was opened. */
  readonly since: number;
  /** Whether an event has arrived on the stream. */
  readonly heard: boolean;
}

/** Waits after a failed request: `delay` ms plus jitter (0: not at all), or until `wake`. */
export interface Waiting {
  readonly phase: 'waiting';
  readonly delay: number;
  readonly wake: Wake;
  /** Earliest end of the wait by `wake`, in milliseconds, before jitter. */
  readonly notBefore: number;
  readonly next: Request;
}

/** An input of the state machine. `at` is its time. */
export type ReflectorInput = { readonly at: number } & (
  | { readonly type: 'objects'; readonly batch: PackedBatch }
  /** The end of a page. */
  | { readonly type: 'page'; readonly metadata: KubernetesList<unknown>['metadata'] }
  | { readonly type: 'events'; readonly items: readonly WatchItem[] }
  | { readonly type: 'end' }
  | { readonly type: 'failure'; readonly failure: Failure }
  /** `woken`: the cause of the failures is over, so they no longer count. */
  | { readonly type: 'waited'; readonly woken?: boolean }
  /** The next requests select another part of the objects. */
  | { readonly type: 'resharded' }
);

/**
 * Output of a reflector. Initial objects come between `init` and `init-done`, and replace the previous objects together
 * at `init-done`; until then the previous objects remain valid. (Upstream: kube-rs' `watcher::Event`.)
 */
export type Emission =
  /** Initial objects follow. Discard the objects of an incomplete `init`. */
  | { readonly type: 'init' }
  /** An object may come again in another version. A `DELETED` one no longer exists: discard its earlier versions. */
  | { readonly type: 'init-objects'; readonly batch: PackedBatch }
  /** If `wentBack`, a known version may now identify another state, because the server has been restored. */
  | { readonly type: 'init-done'; readonly version: string; readonly wentBack: boolean }
  | { readonly type: 'changes'; readonly batch: PackedBatch; readonly version: string }
  /** Only the version has advanced. */
  | { readonly type: 'progress'; readonly version: string };

export interface Step {
  readonly state: ReflectorState;
  /** In order. */
  readonly emissions: readonly Emission[];
  /** An unusual condition to log. */
  readonly notice?: { readonly message: string; readonly fields: LogFields };
}

/** Returns the state before the first request. */
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
