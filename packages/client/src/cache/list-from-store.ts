import type { ListOptions } from '../client/client.ts';
import type { Kind } from '../kinds/kind.ts';
import { matchesLabels, parseLabelSelector } from '../kinds/label-selector.ts';
import type { DeepReadonly, KubernetesList, KubernetesObject } from '../kinds/object.ts';
import { parseFieldSelector } from './field-selector.ts';
import type { Informer } from './informer.ts';

/**
 * Answers a list from an informer's objects.
 *
 * @throws {TypeError} for an option that only an API server can honour, and for an index or selector that is none.
 */
export function listFromStore<T extends KubernetesObject>(
  kind: Kind<T>,
  { store, lastSyncedResourceVersion }: Informer<T>,
  { namespace, labelSelector, fieldSelector, index, limit }: ListOptions,
): DeepReadonly<KubernetesList<T>> {
  // As in the API, the empty namespace is all of them.
  const within = namespace === '' ? undefined : namespace;
  let items = index ? store.byIndex(index.name, index.value) : store.list(within);
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
