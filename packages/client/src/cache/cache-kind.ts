import type { Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { KindCacheOptions } from './cache-options.ts';

/**
 * Returns an entry of `byKind` whose `transform` has the type of the kind's objects. (The elements of an array have one
 * type, so a transform that is written into `byKind` receives a `KubernetesObject`.)
 *
 * @example
 * byKind: [
 *   cacheKind(Pod, {
 *     transform: (pod) => {
 *       delete pod.status;
 *       return pod;
 *     },
 *   }),
 * ]
 */
export function cacheKind<T extends KubernetesObject>(
  kind: Kind<T>,
  options: Omit<KindCacheOptions<NoInfer<T>>, 'kind'>,
): KindCacheOptions {
  // The cache passes the transform only objects of this kind.
  return { ...options, kind } as unknown as KindCacheOptions;
}
