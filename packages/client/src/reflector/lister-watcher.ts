import type { KubernetesList, KubernetesObject } from '../kinds/object.ts';
import type { Recovered } from '../health/recovery-probe.ts';
import type { ListTotal } from '../transport/response-limits.ts';
import type { WatchEvent } from '../watch/watch-event.ts';

/** What a reflector needs of an API server, for one kind within one scope (namespace and selectors). */
export interface ListerWatcher<T extends KubernetesObject> {
  list(request: ListRequest): Promise<KubernetesList<T>>;
  watch(request: WatchRequest): AsyncIterable<readonly WatchEvent<T>[]>;
  /** Calls `listener` when requests get other credentials than before. What it returns ends that. */
  onCredentials(listener: () => void): () => void;
  /**
   * Resolves at the first successful health check that starts after the call.
   *
   * @throws the signal's reason, when `signal` aborts first.
   */
  recovered(signal: AbortSignal): Promise<Recovered>;
  /**
   * Resolves with the version of the kind's CustomResourceDefinition as soon as there is one other than `known`.
   *
   * @throws the signal's reason, when `signal` aborts first; always, if definitions are not watched.
   */
  definitionChanged(known: string | undefined, signal: AbortSignal): Promise<string>;
}

export interface ListRequest {
  readonly signal: AbortSignal;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly limit?: number;
  readonly continue?: string;
  /** The same object for each page of one list. */
  readonly total?: ListTotal;
  /** May be called with the token of the next page, before this one is complete. */
  readonly onContinue?: (token: string) => void;
}

export interface WatchRequest {
  readonly signal: AbortSignal;
  readonly resourceVersion?: string;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds: number;
  /** The total of the list that the watch follows, or one that begins with 0 for a watch with initial events. */
  readonly total?: ListTotal;
}
