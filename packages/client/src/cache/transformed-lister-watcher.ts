import { workInTurn } from '../clock/event-loop-turn.ts';
import { parseJson } from '../json/json.ts';
import type { Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { packTexts } from '../packed/pack-objects.ts';
import { ENVELOPE, ENVELOPE_SIZE, PACKED_TYPE, type PackedBatch } from '../packed/packed-batch.ts';
import type { WatchItem } from '../packed/watch-scanner.ts';
import type { ListerWatcher } from '../reflector/lister-watcher.ts';
import { transformedText } from './transformed-text.ts';

const TYPES = Object.keys(PACKED_TYPE) as (keyof typeof PACKED_TYPE)[];

const NO_OBJECTS: PackedBatch = { bytes: Buffer.alloc(0), envelopes: new Int32Array(0), length: 0 };

export interface ObjectTransform<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  /** May change its object in place. */
  readonly transform: (object: T) => T;
  /** Whether the transform receives objects without `metadata.managedFields`. */
  readonly dropManagedFields: boolean;
}

/**
 * Returns a lister-watcher that decodes each object, applies `transform`, and encodes the result. Its errors fail the
 * list or the watch: no object is silently omitted, and no later object is handled before it.
 */
export function transformedListerWatcher<T extends KubernetesObject>(
  listerWatcher: ListerWatcher,
  { kind, transform, dropManagedFields }: ObjectTransform<T>,
): ListerWatcher {
  const decoded = (text: string): T => {
    const { metadata, ...rest } = parseJson(text) as T;
    const { managedFields: _, ...kept } = metadata;
    const { apiVersion, kind: name } = kind;
    // The compiler cannot see that this is every field of the type parameter.
    return { ...rest, apiVersion, kind: name, metadata: dropManagedFields ? kept : metadata } as unknown as T;
  };
  const transformed = (batch: PackedBatch): PackedBatch[] => {
    const { bytes, envelopes, length } = batch;
    const batches: PackedBatch[] = [];
    let run: Buffer[] = [];
    for (let row = 0; row < length * ENVELOPE_SIZE; row += ENVELOPE_SIZE) {
      const start = envelopes[row + ENVELOPE.object] as number;
      const end = envelopes[row + ENVELOPE.object + 1] as number;
      const object = decoded(bytes.toString('utf8', start, end));
      run.push(transformedText(kind, transform, object, end - start));
      const type = envelopes[row + ENVELOPE.type] as number;
      const next = row + ENVELOPE_SIZE;
      if (next < length * ENVELOPE_SIZE && envelopes[next + ENVELOPE.type] === type) continue;
      batches.push(packTexts(TYPES[type] as keyof typeof PACKED_TYPE, run));
      run = [];
    }
    batch.release?.();
    if (batch.omitted) batches.push({ ...NO_OBJECTS, omitted: batch.omitted });
    return batches;
  };
  return {
    onCredentials: (listener) => listerWatcher.onCredentials(listener),
    recovered: (signal) => listerWatcher.recovered(signal),
    definitionChanged: (known, signal) => listerWatcher.definitionChanged(known, signal),
    async *list(request) {
      const batches = listerWatcher.list(request);
      try {
        let next = await batches.next();
        for (; !next.done; next = await batches.next()) {
          const { value } = next;
          yield* await workInTurn(() => transformed(value));
        }
        return next.value;
      } finally {
        await batches.return({ resourceVersion: '' });
      }
    },
    async *watch(request) {
      for await (const items of listerWatcher.watch(request)) {
        yield items.flatMap((item): WatchItem[] =>
          item.type === 'objects' ? transformed(item.batch).map((batch) => ({ type: 'objects', batch })) : [item],
        );
      }
    },
  };
}
