import { workInTurn } from '../clock/event-loop-turn.ts';
import type { Kind } from '../kinds/kind.ts';
import type { KubernetesList, KubernetesObject } from '../kinds/object.ts';
import { packObjects } from '../packed/pack-objects.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import type { WatchItem } from '../packed/watch-scanner.ts';
import type { Client, ListOptions, WatchOptions } from './client.ts';

/** Lists and watches objects without decoding them: as checked JSON text with the ranges of some fields. */
export interface PackedReader {
  /**
   * Yields the objects of a list as they arrive. Returns the metadata of the list. Objects that a shard selector does not
   * select may be among them.
   *
   * @throws the errors of {@link Client.list}, also after some objects.
   */
  list(
    kind: Kind<KubernetesObject>,
    options: ListOptions,
  ): AsyncGenerator<PackedBatch, KubernetesList<unknown>['metadata'], undefined>;
  /** Like {@link Client.watch}, but yields what arrived together as one array, and drops no events. */
  watch(kind: Kind<KubernetesObject>, options: WatchOptions): AsyncIterable<readonly WatchItem[]>;
}

/** Returns the packed reader of a client. If it has none, encodes what its `list` and `watch` return. */
export function packedReaderOf(client: Pick<Client, 'packed' | 'list' | 'watch'>): PackedReader {
  return client.packed ?? encodingReader(client);
}

/** Number of objects that are encoded in one call. */
const ENCODED_AT_ONCE = 16;

function encodingReader(client: Pick<Client, 'list' | 'watch'>): PackedReader {
  return {
    async *list(kind, options) {
      const { items, metadata } = await client.list(kind, options);
      for (let start = 0; start < items.length; start += ENCODED_AT_ONCE) {
        yield await workInTurn(() => packObjects('listed', items.slice(start, start + ENCODED_AT_ONCE)));
      }
      return metadata;
    },
    async *watch(kind, options) {
      for await (const event of client.watch(kind, options)) {
        yield [
          event.type === 'BOOKMARK' || event.type === 'ERROR'
            ? event
            : { type: 'objects', batch: packObjects(event.type, [event.object]) },
        ];
      }
    },
  };
}
