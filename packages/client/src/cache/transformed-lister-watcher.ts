import { workInTurn } from '../clock/event-loop-turn.ts';
import { parseJson } from '../json/json.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { ENVELOPE, ENVELOPE_SIZE, PACKED_TYPE, type PackedBatch } from '../packed/packed-batch.ts';
import type { WatchItem } from '../packed/watch-scanner.ts';
import type { ListerWatcher } from '../reflector/lister-watcher.ts';
import { CacheTransformError } from './cache-transform-error.ts';

const TYPES = Object.keys(PACKED_TYPE) as (keyof typeof PACKED_TYPE)[];

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
  const checked = checkedTransform(kind, transform);
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
    let run: T[] = [];
    for (let row = 0; row < length * ENVELOPE_SIZE; row += ENVELOPE_SIZE) {
      const [start, end] = envelopes.subarray(row + ENVELOPE.object);
      run.push(checked(decoded(bytes.toString('utf8', start, end))));
      const type = envelopes[row + ENVELOPE.type] as number;
      const next = row + ENVELOPE_SIZE;
      if (next < length * ENVELOPE_SIZE && envelopes[next + ENVELOPE.type] === type) continue;
      batches.push(packObjects(TYPES[type] as keyof typeof PACKED_TYPE, run));
      run = [];
    }
    batch.release?.();
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

/** Checks the results of a user's transform. */
function checkedTransform<T extends KubernetesObject>(kind: Kind<T>, transform: (object: T) => T): (object: T) => T {
  return (object) => {
    // Read first, because the transform may change the object.
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const subject = `the transform of ${kindText(kind)} ${objectKeyText(object.metadata)}`;
    let transformed: unknown;
    try {
      transformed = transform(object);
    } catch (cause) {
      throw new CacheTransformError(`${subject} failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    }
    const metadata = metadataOf(transformed);
    const isSame =
      metadata?.name === name &&
      metadata.namespace === namespace &&
      metadata.uid === uid &&
      metadata.resourceVersion === resourceVersion;
    if (isSame) return transformed as T;
    throw new CacheTransformError(
      `${subject} must return an object that has the same metadata.name, namespace, uid and resourceVersion`,
    );
  };
}

function metadataOf(value: unknown): Partial<KubernetesObject['metadata']> | undefined {
  const metadata = typeof value === 'object' && value !== null && 'metadata' in value ? value.metadata : undefined;
  return typeof metadata === 'object' && metadata !== null ? metadata : undefined;
}
