import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { EntryMemory } from './entry.ts';
import { RECORD } from './record-table.ts';
import type { StoredObjects } from './stored-objects.ts';
import type { ViewedRecord } from './view.ts';

/** Selects objects of a store. An object must meet every condition. */
export interface StoreQuery {
  readonly namespace?: string | undefined;
  /** Values of indexes. The objects come in the order of the first one. */
  readonly indexes?: readonly { readonly name: string; readonly value: string }[];
  readonly matchesKey?: ((key: ObjectKey) => boolean) | undefined;
  readonly matchesLabels?: ((labels: Readonly<Record<string, string>> | undefined) => boolean) | undefined;
  /** Maximum number of objects to read. Default: all. One limit may serve several stores. */
  readonly limit?: ReadLimit | undefined;
}

/** Counts down the objects that a query may still read. */
export interface ReadLimit {
  left: number;
}

/** An object, `undefined` for one that does not match, or `omitted` for one beyond the limit. Only the first is decoded. */
export type Selected<T extends KubernetesObject> = DeepReadonly<T> | 'omitted' | undefined;

/**
 * Returns the records that may match a query; `undefined` if all may.
 *
 * @throws {TypeError} if an index does not exist.
 */
export function candidatesOf<T extends KubernetesObject>(
  objects: StoredObjects<T>,
  { namespace, indexes = [] }: StoreQuery,
): Int32Array | undefined {
  const { records, namespaces } = objects.table;
  const [first, ...others] = indexes;
  if (!first) return namespace === undefined ? undefined : namespaces.recordsOf(namespace);
  const isIn = others.map(({ name, value }) => objects.indexes.membership(name, value));
  const within = namespace === undefined ? undefined : namespaces.numberOf(namespace);
  const found = objects.indexes.records(first.name, first.value);
  if (within === undefined && isIn.length === 0) return found;
  return found.filter(
    (record) =>
      (within === undefined || records.get(record, RECORD.namespace) === within) &&
      isIn.every((contains) => contains(record)),
  );
}

/** Returns the result of a query for a record. */
export function select<T extends KubernetesObject>(
  objects: StoredObjects<T>,
  query: StoreQuery,
  { record, slab, entry }: ViewedRecord,
): Selected<T> {
  const { limit } = query;
  const isBeyond = limit !== undefined && limit.left === 0;
  const known = record < 0 || isBeyond ? undefined : objects.known(record, 'if there is room');
  if (!(known ? matches(query, known) : matchesEntry(objects, query, slab, entry))) return undefined;
  if (isBeyond) return 'omitted';
  if (limit) limit.left -= 1;
  if (known) return known;
  if (record >= 0) return objects.read(record, 'if there is room');
  return objects.held(slab, entry, 'if there is room') ?? objects.decoder.decode(slab, entry);
}

function matches<T extends KubernetesObject>(
  { matchesKey, matchesLabels }: StoreQuery,
  object: DeepReadonly<T>,
): boolean {
  const { metadata } = object as DeepReadonly<KubernetesObject>;
  return (matchesKey?.(metadata) ?? true) && (matchesLabels?.(metadata.labels) ?? true);
}

function matchesEntry<T extends KubernetesObject>(
  { decoder }: StoredObjects<T>,
  { matchesKey, matchesLabels }: StoreQuery,
  memory: EntryMemory,
  entry: number,
): boolean {
  if (matchesKey && !matchesKey(decoder.decodeKey(memory, entry))) return false;
  return !matchesLabels || matchesLabels(decoder.decodeLabels(memory, entry));
}
