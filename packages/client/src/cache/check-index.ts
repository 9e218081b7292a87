import type { Kind } from '../kinds/kind.ts';
import { kindText } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { foundText } from '../options/found-text.ts';
import { characterOfPathLanguage, namesProblem } from './path-problem.ts';
import { namesOfPath, type IndexExtractor, type IndexPath } from '../store/index-extractor.ts';

/**
 * Refuses an index without a name or an extractor, and a second index with the same name and another extractor: it
 * would never be used, so lists would be wrong. (Upstream: client-go's `AddIndexers` refuses it too.)
 *
 * @param registered the extractor of the existing index, if any.
 * @returns the extractor to keep: the names of a path, or the function.
 * @throws {TypeError} if an argument is wrong, or `extract` is another extractor. Functions are compared by identity.
 */
export function checkIndex<T extends KubernetesObject>(
  kind: Kind<KubernetesObject>,
  name: string,
  registered: IndexExtractor<T> | undefined,
  extract: IndexExtractor<T>,
): Exclude<IndexExtractor<T>, string> {
  const call = `indexField of ${kindText(kind)}`;
  const given: unknown = name;
  if (typeof given !== 'string' || given === '') {
    const found = given === '' ? 'an empty string' : foundText(given);
    throw new TypeError(`${call}: expected the name of the index, found ${found}: pass it before the function or path`);
  }
  const index = typeof extract === 'function' ? extract : checkPath(call, extract);
  if (registered === undefined || isSame(registered, index)) return index;
  throw new TypeError(
    `index ${JSON.stringify(name)} of ${kindText(kind)} is already registered with another function or path: ` +
      'choose another name, or define the function once and pass the same one',
  );
}

/** Returns a copy of the names of a path. */
function checkPath(call: string, path: unknown): readonly string[] {
  if (typeof path !== 'string' && !Array.isArray(path)) {
    throw new TypeError(
      `${call}: expected a function that returns the values of an object, or a path such as ".spec.nodeName", found ` +
        foundText(path),
    );
  }
  const names: readonly unknown[] = [...namesOfPath(path as IndexPath)];
  const problem = (typeof path === 'string' ? textProblem(path) : undefined) ?? fieldProblem(names);
  if (problem === undefined) return names as readonly string[];
  throw new TypeError(`${call}: expected a path such as ".spec.nodeName" or ["spec", "nodeName"], found ${problem}`);
}

function textProblem(path: string): string | undefined {
  if (path === '') return 'an empty string';
  if (!path.startsWith('.')) return 'a path without a leading dot';
  const character = characterOfPathLanguage(path);
  if (character === undefined) return undefined;
  return `a path with ${JSON.stringify(character)}: pass a function to read list elements, or an array if it is part of a name`;
}

function fieldProblem(names: readonly unknown[]): string | undefined {
  const problem = namesProblem(names);
  if (problem !== undefined) return problem;
  // The server omits them from the items of a list.
  const isShared = names.length === 1 && (names[0] === 'apiVersion' || names[0] === 'kind');
  return isShared ? 'a field that has the same value in all objects of the kind' : undefined;
}

function isSame<T extends KubernetesObject>(a: IndexExtractor<T>, b: IndexExtractor<T>): boolean {
  if (typeof a === 'function' || typeof b === 'function') return a === b;
  const [names, others] = [namesOfPath(a), namesOfPath(b)];
  return names.length === others.length && names.every((name, at) => name === others[at]);
}
