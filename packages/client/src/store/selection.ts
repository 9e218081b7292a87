import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import type { EntryMemory } from './entry.ts';
import { RECORD } from './record-table.ts';
import { Snapshot } from './snapshot.ts';
import type { StoredObjects } from './stored-objects.ts';

/** Selects objects of a store. An object must meet every condition. */
export interface StoreQuery {
  readonly namespace?: string | undefined;
  /** Values of indexes. The objects come in the order of the first one. */
  readonly indexes?: readonly { readonly name: string; readonly value: string }[];
  readonly matchesKey?: ((key: ObjectKey) => boolean) | undefined;
  readonly matchesLabels?: ((labels: Readonly<Record<string, string>> | undefined) => boolean) | undefined;
}

/**
 * Iterates over the objects that a query selects, as they are when it begins, also if the caller takes several turns of
 * the event loop. Yields `undefined` for an object that does not match, which is not decoded.
 */
export class Selection<T extends KubernetesObject> implements IterableIterator<DeepReadonly<T> | undefined, undefined> {
  readonly #objects: StoredObjects<T>;
  readonly #query: StoreQuery;
  /** Records that may match. Must not be read after a record has changed. */
  readonly #candidates: Iterator<number, unknown>;
  /** The remaining candidates, once a record has changed. */
  #rest: Snapshot | undefined;
  readonly #onEnd: () => void;

  /** @throws {TypeError} if an index does not exist. */
  constructor(objects: StoredObjects<T>, query: StoreQuery, onEnd: () => void) {
    this.#objects = objects;
    this.#query = query;
    this.#candidates = candidatesOf(objects, query)[Symbol.iterator]();
    this.#onEnd = onEnd;
  }

  /** Must be called before a record changes: remembers the places of what is left. */
  detach(): Snapshot {
    const rest = [...{ [Symbol.iterator]: () => this.#candidates }];
    return (this.#rest = new Snapshot(this.#objects.table, rest, rest.length));
  }

  next(): IteratorResult<DeepReadonly<T> | undefined, undefined> {
    if (this.#rest) {
      const place = this.#rest.next();
      return place ? { done: false, value: this.#objectAt(place.slab, place.entry) } : this.return();
    }
    const { done, value: record } = this.#candidates.next();
    return done ? this.return() : { done: false, value: this.#objectOf(record) };
  }

  return(): IteratorResult<DeepReadonly<T> | undefined, undefined> {
    this.#onEnd();
    return { done: true, value: undefined };
  }

  [Symbol.iterator](): this {
    return this;
  }

  #objectOf(record: number): DeepReadonly<T> | undefined {
    const objects = this.#objects;
    const known = objects.known(record, 'if there is room');
    if (known) return this.#matches(known) ? known : undefined;
    return this.#matchesEntry(objects.table.slabOf(record), objects.table.entryOf(record))
      ? objects.read(record, 'if there is room')
      : undefined;
  }

  #objectAt(memory: EntryMemory, entry: number): DeepReadonly<T> | undefined {
    if (!this.#matchesEntry(memory, entry)) return undefined;
    return this.#objects.held(memory, entry, 'if there is room') ?? this.#objects.decoder.decode(memory, entry);
  }

  #matches(object: DeepReadonly<T>): boolean {
    const { matchesKey, matchesLabels } = this.#query;
    const { metadata } = object as DeepReadonly<KubernetesObject>;
    return (matchesKey?.(metadata) ?? true) && (matchesLabels?.(metadata.labels) ?? true);
  }

  #matchesEntry(memory: EntryMemory, entry: number): boolean {
    const { matchesKey, matchesLabels } = this.#query;
    const { decoder } = this.#objects;
    if (matchesKey && !matchesKey(decoder.decodeKey(memory, entry))) return false;
    return !matchesLabels || matchesLabels(decoder.decodeLabels(memory, entry));
  }
}

function candidatesOf<T extends KubernetesObject>(
  objects: StoredObjects<T>,
  { namespace, indexes = [] }: StoreQuery,
): Iterable<number> {
  const [first, ...others] = indexes;
  if (!first) return objects.visibleRecords(namespace);
  const found = objects.indexes.records(first.name, first.value);
  const sets = others.map(({ name, value }) => new Set(objects.indexes.records(name, value)));
  return matching(objects, found, { namespace, sets });
}

function* matching<T extends KubernetesObject>(
  objects: StoredObjects<T>,
  found: Iterable<number>,
  { namespace, sets }: { readonly namespace: string | undefined; readonly sets: readonly ReadonlySet<number>[] },
): Generator<number, void, undefined> {
  const { records, namespaces } = objects.table;
  const within = namespace === undefined ? undefined : namespaces.numberOf(namespace);
  for (const record of found) {
    if (within !== undefined && records.get(record, RECORD.namespace) !== within) continue;
    if (objects.isVisible(record) && sets.every((set) => set.has(record))) yield record;
  }
}
