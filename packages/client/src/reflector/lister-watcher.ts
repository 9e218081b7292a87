import type { Recovered } from '../health/recovery-probe.ts';
import type { KubernetesList } from '../kinds/object.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import type { WatchItem } from '../packed/watch-scanner.ts';
import type { ShardSelection } from '../shards/shard-selection.ts';
import type { ListTotal } from '../transport/response-limits.ts';

/** Lists and watches one kind within one scope (namespace and selectors), for a reflector. */
export interface ListerWatcher {
  /** Yields the objects of a page as they arrive. Returns the metadata of the list. */
  list(request: ListRequest): AsyncGenerator<PackedBatch, KubernetesList<unknown>['metadata'], undefined>;
  watch(request: WatchRequest): AsyncIterable<readonly WatchItem[]>;
  /** Calls `listener` when requests start to use other credentials. Returns a function that removes the listener. */
  onCredentials(listener: () => void): () => void;
  /**
   * Resolves at the first successful health check that starts after the call.
   *
   * @throws the reason of `signal` if it aborts first.
   */
  recovered(signal: AbortSignal): Promise<Recovered>;
  /**
   * Resolves with the version of the kind's CustomResourceDefinition as soon as it differs from `known`.
   *
   * @throws the reason of `signal` if it aborts first; the only outcome if definitions are not watched.
   */
  definitionChanged(known: string | undefined, signal: AbortSignal): Promise<string>;
}

export interface ListRequest {
  readonly signal: AbortSignal;
  /** Objects outside of it must not be yielded. Default: none. */
  readonly shard?: ShardSelection;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly limit?: number;
  readonly continue?: string;
  /** The same object for each page of one list. */
  readonly total?: ListTotal;
  /** May be called with the token of the next page before this page is complete. */
  readonly onContinue?: (token: string) => void;
}

export interface WatchRequest {
  readonly signal: AbortSignal;
  /** Objects outside of it must not be yielded. Default: none. */
  readonly shard?: ShardSelection;
  readonly resourceVersion?: string;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds: number;
  /** Total of the list that the watch continues. For a watch with initial events, starts at 0. */
  readonly total?: ListTotal;
}
