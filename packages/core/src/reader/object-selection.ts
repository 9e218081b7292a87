import type { IndexLookup, KubernetesObject, LazyObject, ReadonlyStore } from '@mcr/client';
import { decodedObject, matchesLabels, parseLabelSelector } from '@mcr/client';

/** Selects objects in each cluster. */
export interface ObjectSelection {
  /** Default: all namespaces. */
  readonly namespace?: string;
  /** Default: all objects. */
  readonly labelSelector?: string;
  /** An index that was added with `manager.fieldIndexer`. Decodes the objects that it selects. Default: none. */
  readonly index?: IndexLookup;
}

/** A parsed {@link ObjectSelection}. */
export interface ObjectFilter {
  readonly namespace: string | undefined;
  readonly index: IndexLookup | undefined;
  /** Default: all labels match. */
  readonly matches: ((object: Pick<LazyObject<KubernetesObject>, 'metadata'>) => boolean) | undefined;
}

/** @throws {SyntaxError} for an invalid label selector. */
export function parseSelection({ namespace, labelSelector, index }: ObjectSelection): ObjectFilter {
  const labels = labelSelector ? parseLabelSelector(labelSelector) : undefined;
  return {
    // An empty namespace means all namespaces, as in the API.
    namespace: namespace === '' ? undefined : namespace,
    index,
    matches: labels && (({ metadata }) => matchesLabels(labels, metadata.labels)),
  };
}

/**
 * Yields the selected objects of one store. Objects that change during the iteration may be included in either state.
 *
 * @throws {TypeError} if the index does not exist.
 * @throws {InformerStoppedError} if the informer has stopped.
 */
export function* selectObjects<T extends KubernetesObject>(
  store: ReadonlyStore<T>,
  { namespace, index, matches }: ObjectFilter,
): Generator<LazyObject<T>, undefined> {
  for (const object of index ? indexed(store, index, namespace) : stored(store, namespace)) {
    if (matches?.(object) ?? true) yield object;
  }
}

function* stored<T extends KubernetesObject>(
  store: ReadonlyStore<T>,
  namespace: string | undefined,
): Generator<LazyObject<T>, undefined> {
  for (const key of store.keys(namespace)) {
    const object = store.lazy(key);
    if (object) yield object;
  }
}

function* indexed<T extends KubernetesObject>(
  store: ReadonlyStore<T>,
  { name, value }: IndexLookup,
  namespace: string | undefined,
): Generator<LazyObject<T>, undefined> {
  for (const object of store.byIndex(name, value)) {
    if (namespace === undefined || object.metadata.namespace === namespace) yield decodedObject(object);
  }
}
