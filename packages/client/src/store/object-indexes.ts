import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import { namesOf, type FieldPath } from '../packed/field-tree.ts';
import { PathReader } from '../packed/path-reader.ts';
import { ENTRY_HEADER, type EntryMemory } from './entry.ts';
import { Postings } from './postings.ts';
import { unknownIndex } from './unknown-index.ts';

/** Returns the values of an object in an index, or names the field that has the value. */
export type IndexSource<T extends KubernetesObject> =
  ((object: DeepReadonly<T>) => Iterable<string>) | { readonly path: FieldPath };

/** Receives the error of an index function, or a TypeError for a result that is not iterable. */
export type IndexFailureHandler = (index: string, object: DeepReadonly<KubernetesObject>, error: unknown) => void;

interface Index<T extends KubernetesObject> {
  readonly postings: Postings;
  readonly valuesOf: (record: number, reader: RecordReader<T>) => readonly string[];
}

/** Reads what indexes need of a record. */
export interface RecordReader<T extends KubernetesObject> {
  /** Decodes the object. */
  readonly decode: (record: number) => DeepReadonly<T>;
  /** Returns the place of the entry. */
  readonly locate: (record: number) => { readonly memory: EntryMemory; readonly entry: number };
}

/** The indexes of a store. They remember the values of each record, so that a function runs once for each version. */
export class ObjectIndexes<T extends KubernetesObject> {
  readonly #indexes = new Map<string, Index<T>>();
  readonly #reader: RecordReader<T>;
  readonly #onFailure: IndexFailureHandler;

  constructor(reader: RecordReader<T>, onFailure: IndexFailureHandler) {
    this.#reader = reader;
    this.#onFailure = onFailure;
  }

  get byteLength(): number {
    return [...this.#indexes.values()].reduce((sum, { postings }) => sum + postings.byteLength, 0);
  }

  /** Adds an index over these and future records. If an index with this name exists, does nothing. */
  create(name: string, source: IndexSource<T>, records: Iterable<number>): void {
    if (this.#indexes.has(name)) return;
    const valuesOf = typeof source === 'function' ? this.#byFunction(name, source) : byPath<T>(source.path);
    const index = { postings: new Postings(), valuesOf };
    this.#indexes.set(name, index);
    for (const record of records) index.postings.add(record, valuesOf(record, this.#reader));
  }

  /** Adds a record to all indexes. */
  add(record: number): void {
    for (const { postings, valuesOf } of this.#indexes.values()) {
      postings.add(record, valuesOf(record, this.#reader));
    }
  }

  /** Removes a record from all indexes. */
  remove(record: number): void {
    for (const { postings } of this.#indexes.values()) postings.remove(record);
  }

  /** Removes all records. */
  clear(): void {
    for (const [name, index] of this.#indexes) this.#indexes.set(name, { ...index, postings: new Postings() });
  }

  /** Returns the records with a value. @throws {TypeError} if the index does not exist. */
  records(name: string, value: string): Iterable<number> {
    const index = this.#indexes.get(name);
    if (index) return index.postings.records(value);
    throw unknownIndex(name, [...this.#indexes.keys()]);
  }

  #byFunction(name: string, extract: (object: DeepReadonly<T>) => Iterable<string>): Index<T>['valuesOf'] {
    return (record, { decode }) => {
      const object = decode(record);
      try {
        return [...extract(object)];
      } catch (error) {
        this.#onFailure(name, object, error);
        return [];
      }
    };
  }
}

function byPath<T extends KubernetesObject>(path: FieldPath): Index<T>['valuesOf'] {
  const names = namesOf(path);
  // A leading dot is optional, as in JSONPath.
  const reader = new PathReader(names[0] === '' ? names.slice(1) : names);
  return (record, { locate }) => {
    const { memory, entry } = locate(record);
    const range = reader.find(memory.bytes, entry + ENTRY_HEADER);
    if (!range) return [];
    const value = JSON.parse(memory.bytes.toString('utf8', range.start, range.end)) as unknown;
    if (typeof value === 'string') return [value];
    return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
  };
}
