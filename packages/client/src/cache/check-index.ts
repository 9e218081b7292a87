import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { foundText } from '../options/found-text.ts';
import type { IndexExtractor } from './cache.ts';

/**
 * Refuses an index without a name or a function, and a second index with the same name and another function: that
 * function would never be called, so lists would be wrong. (Upstream: client-go's `AddIndexers` refuses it too.)
 *
 * @param registered the function of the existing index, if any.
 * @throws {TypeError} if an argument is wrong, or `extract` is another function. Functions are compared by identity.
 */
export function checkIndex<T extends KubernetesObject>(
  kind: Kind<T>,
  name: string,
  registered: IndexExtractor<T> | undefined,
  extract: IndexExtractor<T>,
): void {
  const call = `indexField of ${kindText(kind)}`;
  const given: unknown = name;
  if (typeof given !== 'string' || given === '') {
    const found = given === '' ? 'an empty string' : foundText(given);
    throw new TypeError(`${call}: expected the name of the index, found ${found}: pass it before the function`);
  }
  if (typeof extract !== 'function') {
    throw new TypeError(
      `${call}: expected a function that returns the values of an object, found ${foundText(extract)}`,
    );
  }
  if (registered === undefined || registered === extract) return;
  throw new TypeError(
    `index ${JSON.stringify(name)} of ${kindText(kind)} is already registered with another function: ` +
      'choose another name, or define the function once and pass the same one',
  );
}
