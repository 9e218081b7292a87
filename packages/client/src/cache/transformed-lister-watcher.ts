import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import type { ListerWatcher } from '../reflector/lister-watcher.ts';
import { CacheTransformError } from './cache-transform-error.ts';
import { workInTurns } from '../clock/event-loop-turn.ts';

/**
 * Returns a lister-watcher that applies `transform` to each object. Its errors fail the list or the watch: no object is
 * silently omitted, and no later object is handled before it.
 *
 * @param transform may change its object in place.
 */
export function transformedListerWatcher<T extends KubernetesObject>(
  listerWatcher: ListerWatcher<T>,
  transform: (object: T) => T,
): ListerWatcher<T> {
  return {
    onCredentials: (listener) => listerWatcher.onCredentials(listener),
    recovered: (signal) => listerWatcher.recovered(signal),
    definitionChanged: (known, signal) => listerWatcher.definitionChanged(known, signal),
    async list(request) {
      const list = await listerWatcher.list(request);
      const items: T[] = [];
      await workInTurns(list.items, (object) => {
        items.push(transform(object));
        return !request.signal.aborted;
      });
      return { ...list, items };
    },
    async *watch(request) {
      for await (const events of listerWatcher.watch(request)) {
        for (const event of events) {
          if (event.type !== 'BOOKMARK' && event.type !== 'ERROR') event.object = transform(event.object);
        }
        yield events;
      }
    },
  };
}

/** Checks the results of a user's transform. */
export function checkedTransform<T extends KubernetesObject>(
  kind: Kind<T>,
  transform: (object: T) => T,
): (object: T) => T {
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
