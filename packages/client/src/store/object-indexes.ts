import { parseJson } from '../json/json.ts';
import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import { foundText } from '../options/found-text.ts';
import { OPEN_OBJECT } from '../packed/json-bytes.ts';
import { PathReader } from '../packed/path-reader.ts';
import { ENTRY_HEADER, type EntryMemory } from './entry.ts';
import { fieldValues, namesOfPath, type IndexExtractor, type IndexPath } from './index-extractor.ts';
import { Postings } from './postings.ts';
import { unknownIndex } from './unknown-index.ts';

/** Receives the error of an index function, or a TypeError for a result that is not a limited number of strings. */
export type IndexFailureHandler = (index: string, object: DeepReadonly<KubernetesObject>, error: unknown) => void;

/** Maximum number of values of one object in one index. */
const MAX_VALUES = 10_000;

/** Returns the values of an object. @throws whatever an index function throws. */
type ValuesOf<T extends KubernetesObject> = (subject: Subject<T>) => readonly string[];

interface Index<T extends KubernetesObject> {
  readonly postings: Postings;
  readonly valuesOf: ValuesOf<T>;
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
  create(name: string, extract: IndexExtractor<T>, records: Iterable<number>): void {
    if (this.#indexes.has(name)) return;
    const valuesOf = typeof extract === 'function' ? byFunction(extract) : byPath<T>(extract);
    const postings = new Postings();
    for (const record of records) postings.add(record, this.#values(name, valuesOf, new Subject(this.#reader, record)));
    // An index function may have added an index with this name.
    if (!this.#indexes.has(name)) this.#indexes.set(name, { postings, valuesOf });
  }

  /** Adds a record to all indexes, which change when all values are known: index functions may use the store. */
  add(record: number): void {
    if (this.#indexes.size === 0) return;
    const subject = new Subject(this.#reader, record);
    // An index that a function adds has the record already.
    const additions = [...this.#indexes].map(([name, { postings, valuesOf }]) => ({
      postings,
      values: this.#values(name, valuesOf, subject),
    }));
    for (const { postings, values } of additions) postings.add(record, values);
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

  #values(name: string, valuesOf: ValuesOf<T>, subject: Subject<T>): readonly string[] {
    try {
      return valuesOf(subject);
    } catch (error) {
      this.#onFailure(name, subject.object, error);
      return [];
    }
  }
}

/** A record to index. Its object is decoded once for all index functions. */
class Subject<T extends KubernetesObject> {
  readonly #reader: RecordReader<T>;
  readonly #record: number;
  #object: DeepReadonly<T> | undefined;

  constructor(reader: RecordReader<T>, record: number) {
    this.#reader = reader;
    this.#record = record;
  }

  get object(): DeepReadonly<T> {
    return (this.#object ??= this.#reader.decode(this.#record));
  }

  get place(): ReturnType<RecordReader<T>['locate']> {
    return this.#reader.locate(this.#record);
  }
}

function byFunction<T extends KubernetesObject>(extract: (object: DeepReadonly<T>) => Iterable<unknown>): ValuesOf<T> {
  return ({ object }) => {
    const values: string[] = [];
    for (const value of extract(object)) {
      if (typeof value !== 'string') {
        throw new TypeError(`value ${values.length} is ${foundText(value)}: return strings only`);
      }
      values.push(value);
      refuseTooMany(values.length);
    }
    return values;
  };
}

/** Reads the field from the JSON text. Decodes nothing else. */
function byPath<T extends KubernetesObject>(path: IndexPath): ValuesOf<T> {
  const reader = new PathReader(namesOfPath(path));
  return ({ place: { memory, entry } }) => {
    const range = reader.find(memory.bytes, entry + ENTRY_HEADER);
    if (!range || memory.bytes[range.start] === OPEN_OBJECT) return [];
    const values = fieldValues(parseJson(memory.bytes.toString('utf8', range.start, range.end)));
    refuseTooMany(values.length);
    return values;
  };
}

function refuseTooMany(count: number): void {
  if (count > MAX_VALUES) throw new TypeError(`more than ${MAX_VALUES} values for one object: index fewer`);
}
