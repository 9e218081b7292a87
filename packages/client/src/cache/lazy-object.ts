import { keyOf, type DeepReadonly, type KubernetesObject } from '../kinds/object.ts';
import type { LazyObject } from './informer.ts';

/** Returns a {@link LazyObject} for an object that is already decoded. */
export function decodedObject<T extends KubernetesObject>(object: DeepReadonly<T>): LazyObject<T> {
  const { metadata } = object;
  return { key: Object.freeze(keyOf(metadata)), object, metadata };
}
