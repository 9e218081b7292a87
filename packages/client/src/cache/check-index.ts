import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { foundText } from '../options/found-text.ts';
import type { IndexExtractor } from './cache.ts';

/** Matches a path: names that each follow a dot. */
const PATH = /^(?:\.[^.]+)+$/;

/**
 * Refuses an index without a name or an extractor, and a second index with the same name and another extractor: it
 * would never be used, so lists would be wrong. (Upstream: client-go's `AddIndexers` refuses it too.)
 *
 * @param registered the extractor of the existing index, if any.
 * @throws {TypeError} if an argument is wrong, or `extract` is another extractor. Functions are compared by identity.
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
    throw new TypeError(`${call}: expected the name of the index, found ${found}: pass it before the function or path`);
  }
  if (typeof extract !== 'function' && !(typeof extract === 'string' && PATH.test(extract))) {
    const found = typeof extract === 'string' ? 'a string that is not a path' : foundText(extract);
    throw new TypeError(
      `${call}: expected a function that returns the values of an object, or a path such as ".spec.nodeName", found ${found}`,
    );
  }
  if (registered === undefined || registered === extract) return;
  throw new TypeError(
    `index ${JSON.stringify(name)} of ${kindText(kind)} is already registered with another function or path: ` +
      'choose another name, or define the function once and pass the same one',
  );
}
