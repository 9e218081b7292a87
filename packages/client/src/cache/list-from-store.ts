import type { IndexLookup, ListOptions } from '../client/client.ts';
import { workInTurns } from '../clock/event-loop-turn.ts';
import type { Kind } from '../kinds/kind.ts';
import { matchesLabels, parseLabelSelector } from '../kinds/label-selector.ts';
import type { DeepReadonly, KubernetesList, KubernetesObject } from '../kinds/object.ts';
import { foundText } from '../options/found-text.ts';
import type { Selected, StoreQuery } from '../store/selection.ts';
import { parseFieldSelector } from './field-selector.ts';

/** The store that a list reads. */
export interface ListedStore<T extends KubernetesObject> {
  /**
   * Selects objects in their state at the call: an array of all that match, or an iteration over several turns of the
   * event loop.
   *
   * @throws {TypeError} if an index does not exist.
   */
  select(query: StoreQuery): Iterable<Selected<T>>;
}

/** The parts of an informer that a list reads. */
export interface ListSource<T extends KubernetesObject> {
  readonly store: ListedStore<T>;
  readonly lastSyncedResourceVersion: string | undefined;
}

/**
 * Answers a list from an informer's objects. Objects that must be decoded are decoded in turns of the event loop.
 *
 * @throws {TypeError} for an option or a field selector that only an API server supports, or an unknown index.
 * @throws {SyntaxError} for an invalid label selector.
 */
export async function listFromStore<T extends KubernetesObject>(
  kind: Kind<T>,
  { store, lastSyncedResourceVersion = '' }: ListSource<T>,
  options: ListOptions,
): Promise<DeepReadonly<KubernetesList<T>>> {
  const { limit = 0 } = options;
  let items: DeepReadonly<T>[] = [];
  let remainingItemCount = 0;
  const selected = store.select(queryOf(options));
  if (Array.isArray(selected)) {
    items = selected as DeepReadonly<T>[];
    if (limit > 0) remainingItemCount = items.splice(limit).length;
  } else {
    await workInTurns(selected, (object) => {
      if (object === 'omitted') remainingItemCount += 1;
      else if (object) items.push(object);
      return true;
    });
  }
  return {
    apiVersion: kind.apiVersion,
    kind: `${kind.kind}List`,
    metadata: {
      resourceVersion: lastSyncedResourceVersion,
      ...(remainingItemCount > 0 && { remainingItemCount }),
    },
    items,
  };
}

function queryOf({ namespace, labelSelector, fieldSelector, index, limit = 0 }: ListOptions): StoreQuery {
  const labels = labelSelector ? parseLabelSelector(labelSelector) : undefined;
  return {
    // An empty namespace means all namespaces, as in the API.
    namespace: namespace === '' ? undefined : namespace,
    indexes: index ? indexLookups(index) : [],
    matchesKey: fieldSelector ? parseFieldSelector(fieldSelector) : undefined,
    matchesLabels: labels && ((found) => matchesLabels(labels, found)),
    limit: limit > 0 ? { left: limit } : undefined,
  };
}

/**
 * Returns the lookups of a list. An object must match every one. (Upstream: controller-runtime's `byIndexes`.)
 *
 * @throws {TypeError} if there are none, or one is wrong.
 */
export function indexLookups(index: NonNullable<ListOptions['index']>): readonly IndexLookup[] {
  const lookups = isLookup(index) ? [index] : index;
  for (const lookup of lookups) checkLookup(lookup);
  if (lookups.length > 0) return lookups;
  throw new TypeError('option "index" is an empty array: pass an index lookup, or remove the option');
}

function checkLookup({ name, value }: { readonly name: unknown; readonly value: unknown }): void {
  if (typeof name === 'string' && typeof value === 'string') return;
  throw new TypeError(
    `option "index": expected { name, value } with strings, found a name that is ${foundText(name)} and a value that is ${foundText(value)}`,
  );
}

function isLookup(index: NonNullable<ListOptions['index']>): index is IndexLookup {
  return !Array.isArray(index);
}
