import type { Client, ListOptions } from '../client/client.ts';
import { packedReaderOf } from '../client/packed-reader.ts';
import type { Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { rejectWhenAborted } from '../clock/until-aborted.ts';
import type { Recovery } from '../health/recovery-probe.ts';
import type { CrdWatch } from './crd-watch.ts';
import type { WatchItem } from '../packed/watch-scanner.ts';
import { isApiError } from '../response/api-error.ts';
import { checkShardInfo, isShardMismatch } from '../shards/shard-mismatch-error.ts';
import type { ShardSelection } from '../shards/shard-selection.ts';
import type { Shard } from '../shards/shard.ts';
import { failureOf, wakeOf } from './failure.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { explainedRefusal } from './refused-access.ts';

/** Statuses of a server or a proxy that does not accept the shard selector, or such a long URL. */
const UNSUPPORTED: ReadonlySet<number> = new Set([400, 414, 431]);

/** The objects of a kind to list and watch. */
export interface WatchScope {
  /** Namespace of the objects. Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The part of these objects to select, which may change. Default: all of them. */
  readonly shard?: Shard;
}

/** Deadline of a list in one page, in milliseconds. The response may have hundreds of megabytes. */
const WHOLE_LIST_TIMEOUT = 300_000;

/** Notifies about events that end the backoff of a failed request early. */
export interface Wakers {
  /** Default: the backoff always runs to its end. */
  readonly recovery?: Recovery | undefined;
  readonly crdWatch: CrdWatch;
}

/**
 * Lists and watches a kind within a scope, with a client. The server applies the scope, except its shard: each request
 * has its own, and the client applies it to every object, because older servers ignore it.
 */
export function clientListerWatcher(
  client: Client,
  kind: Kind<KubernetesObject>,
  { shard: _, ...scope }: WatchScope,
  { recovery, crdWatch }: Wakers,
): ListerWatcher {
  const packed = packedReaderOf(client);
  /** Whether the latest request failed because of the connection or the server. */
  let isDisconnected = false;
  /** The latest shard that the server did not accept. It is requested without a selector. */
  let unsupported: ShardSelection | undefined;
  const selectorOf = (shard: ShardSelection | undefined): Pick<ListOptions, 'shardSelector'> =>
    shard?.text === undefined || shard === unsupported ? {} : { shardSelector: shard.selector };
  const noteShardFailure = (shard: ShardSelection | undefined, error: unknown): void => {
    const isRefused = isApiError(error) && UNSUPPORTED.has(error.status);
    if (shard && (isRefused || isShardMismatch(error))) unsupported = shard;
  };
  const failed = (error: unknown, verb: 'list' | 'watch'): unknown => {
    isDisconnected = wakeOf(failureOf(error)) === 'recovery';
    return explainedRefusal(error, { verb, kind, namespace: scope.namespace });
  };
  /**
   * Probes the cluster until it responds or the request ends. A retry may hang on a connection whose packets are lost;
   * a probe detects this within a second and opens a new connection, on which the request continues.
   */
  const probing = (signal: AbortSignal): (() => void) => {
    if (!isDisconnected || !recovery) return () => undefined;
    const end = new AbortController();
    recovery.recovered(AbortSignal.any([signal, end.signal])).catch(() => undefined);
    return () => end.abort();
  };
  return {
    async *list({ shard, ...request }) {
      const deadline = request.limit === undefined ? { timeout: WHOLE_LIST_TIMEOUT } : {};
      const stopProbing = probing(request.signal);
      try {
        // The reflector has its own backoff.
        const sent = selectorOf(shard);
        const pages = packed.list(kind, { ...scope, ...request, ...deadline, ...sent, retry: 'never' });
        const metadata = yield* shard ? keptOf(pages, shard) : pages;
        isDisconnected = false;
        if (sent.shardSelector && shard?.text !== undefined) checkShardInfo(metadata, shard.text);
        return metadata;
      } catch (error) {
        noteShardFailure(shard, error);
        throw failed(error, 'list');
      } finally {
        stopProbing();
      }
    },
    async *watch({ shard, ...request }) {
      const stopProbing = probing(request.signal);
      try {
        for await (const items of packed.watch(kind, { ...scope, ...request, ...selectorOf(shard) })) {
          isDisconnected = false;
          stopProbing();
          yield shard ? items.map((item) => keptOfItem(item, shard)) : items;
        }
      } catch (error) {
        noteShardFailure(shard, error);
        throw failed(error, 'watch');
      } finally {
        stopProbing();
      }
    },
    onCredentials: (listener) => client.onCredentials(listener),
    recovered: (signal) => recovery?.recovered(signal) ?? rejectWhenAborted(signal),
    definitionChanged: (known, signal) => crdWatch.changed(kind, known, signal),
  };
}

async function* keptOf(
  batches: ReturnType<ListerWatcher['list']>,
  shard: ShardSelection,
): ReturnType<ListerWatcher['list']> {
  try {
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) yield shard.keep(next.value);
    return next.value;
  } finally {
    await batches.return({ resourceVersion: '' });
  }
}

function keptOfItem(item: WatchItem, shard: ShardSelection): WatchItem {
  return item.type === 'objects' ? { type: 'objects', batch: shard.keep(item.batch) } : item;
}
