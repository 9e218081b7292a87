import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { IndexExtractor } from './cache.ts';

/**
 * Refuses a second index of the same name: its function would never be called, so lists by it would be wrong.
 * (Upstream: client-go's `AddIndexers` refuses it too.)
 *
 * @param registered the function that the index was registered with before, if it was.
 * @throws {TypeError} if `extract` is another function. Functions are compared by identity.
 */
export function checkSameIndex<T extends KubernetesObject>(
  kind: Kind<T>,
  name: string,
  registered: IndexExtractor<T> | undefined,
  extract: IndexExtractor<T>,
): void {
  if (registered === undefined || registered === extract) return;
  throw new TypeError(
    `index ${JSON.stringify(name)} of ${kindText(kind)} is already registered with another function: ` +
      'choose another name, or define the function once and pass the same one',
  );
}
