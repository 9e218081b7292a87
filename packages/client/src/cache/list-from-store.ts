import type { IndexLookup, ListOptions } from '../client/client.ts';
import type { Kind } from '../kinds/kind.ts';
import { matchesLabels, parseLabelSelector } from '../kinds/label-selector.ts';
import type { DeepReadonly, KubernetesList, KubernetesObject } from '../kinds/object.ts';
import { parseFieldSelector } from './field-selector.ts';
import { foundText } from '../options/found-text.ts';
import type { Informer, ReadonlyStore } from './informer.ts';

/** The reads of a store that a list needs. */
export type ListedStore<T extends KubernetesObject> = Pick<ReadonlyStore<T>, 'list' | 'byIndex'>;

/**
 * Answers a list from an informer's objects.
 *
 * @throws {TypeError} for an option that only an API server supports, an unknown index, or an invalid selector.
 */
export function listFromStore<T extends KubernetesObject>(
  kind: Kind<T>,
  {
    store,
    lastSyncedResourceVersion,
  }: { readonly store: ListedStore<T> } & Pick<Informer<T>, 'lastSyncedResourceVersion'>,
  { namespace, labelSelector, fieldSelector, index, limit }: ListOptions,
): DeepReadonly<KubernetesList<T>> {
  // An empty namespace means all namespaces, as in the API.
  const within = namespace === '' ? undefined : namespace;
  let items = index ? byIndexes(store, index) : store.list(within);
  if (index && within !== undefined) items = items.filter(({ metadata }) => metadata.namespace === within);
  if (labelSelector) {
    const selector = parseLabelSelector(labelSelector);
    items = items.filter(({ metadata }) => matchesLabels(selector, metadata.labels));
  }
  if (fieldSelector) items = items.filter(parseFieldSelector(fieldSelector));
  const remainingItemCount = limit !== undefined && limit > 0 ? Math.max(items.length - limit, 0) : 0;
  if (remainingItemCount > 0) items = items.slice(0, limit);
  return {
    apiVersion: kind.apiVersion,
    kind: `${kind.kind}List`,
    metadata: {
      resourceVersion: lastSyncedResourceVersion ?? '',
      ...(remainingItemCount > 0 && { remainingItemCount }),
    },
    items,
  };
}

/**
 * Returns the objects that match every lookup, in the order of the first lookup. (Upstream: controller-runtime's
 * `byIndexes`.)
 */
function byIndexes<T extends KubernetesObject>(
  store: ListedStore<T>,
  index: NonNullable<ListOptions['index']>,
): DeepReadonly<T>[] {
  const lookups = isLookup(index) ? [index] : index;
  for (const lookup of lookups) checkLookup(lookup);
  const [first, ...others] = lookups;
  if (!first) throw new TypeError('option "index" is an empty array: pass an index lookup, or remove the option');
  const found = store.byIndex(first.name, first.value);
  return others.reduce((objects, { name, value }) => {
    const matches = new Set(store.byIndex(name, value));
    return objects.filter((object) => matches.has(object));
  }, found);
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
