import type { Client } from '../client/client.ts';
import { packedReaderOf } from '../client/packed-reader.ts';
import type { Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { rejectWhenAborted } from '../clock/until-aborted.ts';
import type { Recovery } from '../health/recovery-probe.ts';
import type { CrdWatch } from './crd-watch.ts';
import { failureOf, wakeOf } from './failure.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { explainedRefusal } from './refused-access.ts';

/** The objects of a kind to list and watch. */
export interface WatchScope {
  /** Namespace of the objects. Default: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Deadline of a list in one page, in milliseconds. The response may have hundreds of megabytes. */
const WHOLE_LIST_TIMEOUT = 300_000;

/** Notifies about events that end the backoff of a failed request early. */
export interface Wakers {
  /** Default: the backoff always runs to its end. */
  readonly recovery?: Recovery | undefined;
  readonly crdWatch: CrdWatch;
}

/** Lists and watches a kind within a scope, with a client. The server applies the scope. */
export function clientListerWatcher(
  client: Client,
  kind: Kind<KubernetesObject>,
  scope: WatchScope,
  { recovery, crdWatch }: Wakers,
): ListerWatcher {
  const packed = packedReaderOf(client);
  /** Whether the latest request failed because of the connection or the server. */
  let isDisconnected = false;
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
    async *list(request) {
      const deadline = request.limit === undefined ? { timeout: WHOLE_LIST_TIMEOUT } : {};
      const stopProbing = probing(request.signal);
      try {
        // The reflector has its own backoff.
        const metadata = yield* packed.list(kind, { ...scope, ...request, ...deadline, retry: 'never' });
        isDisconnected = false;
        return metadata;
      } catch (error) {
        throw failed(error, 'list');
      } finally {
        stopProbing();
      }
    },
    async *watch(request) {
      const stopProbing = probing(request.signal);
      try {
        for await (const items of packed.watch(kind, { ...scope, ...request })) {
          isDisconnected = false;
          stopProbing();
          yield items;
        }
      } catch (error) {
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
