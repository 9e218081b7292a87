import { parseJson } from '../json/json.ts';
import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import { reportGuarded } from '../log/guarded-logger.ts';
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

/** Decodes the object of an entry. */
export type EntryDecoder<T extends KubernetesObject> = (memory: EntryMemory, entry: number) => DeepReadonly<T>;

/** The place of an entry. */
export interface EntryPlace {
  readonly memory: EntryMemory;
  readonly entry: number;
}

/** The values of an object in each index. */
export type IndexedValues = readonly { readonly postings: Postings; readonly values: readonly string[] }[];

const NO_VALUES: IndexedValues = [];

/**
 * The indexes of a store. They remember the values of each record, so that a function runs once for each version.
 *
 * Index functions may read the store and add indexes. Therefore they run before a change, when the store is consistent.
 */
export class ObjectIndexes<T extends KubernetesObject> {
  readonly #indexes = new Map<string, Index<T>>();
  readonly #decode: EntryDecoder<T>;
  readonly #onFailure: IndexFailureHandler;

  constructor(decode: EntryDecoder<T>, onFailure: IndexFailureHandler) {
    this.#decode = decode;
    this.#onFailure = onFailure;
  }

  get byteLength(): number {
    return [...this.#indexes.values()].reduce((sum, { postings }) => sum + postings.byteLength, 0);
  }

  /** Adds an index over these and future records. If an index with this name exists, does nothing. */
  create(name: string, extract: IndexExtractor<T>, records: Iterable<readonly [record: number, EntryPlace]>): void {
    if (this.#indexes.has(name)) return;
    const valuesOf = typeof extract === 'function' ? byFunction(extract) : byPath<T>(extract);
    const postings = new Postings();
    for (const [record, place] of records) postings.add(record, this.#values(name, valuesOf, this.#subject(place)));
    // An index function may have added an index with this name.
    if (!this.#indexes.has(name)) this.#indexes.set(name, { postings, valuesOf });
  }

  /** Returns the values of an object that is about to be added, with those in indexes that a function adds meanwhile. */
  valuesOf(place: EntryPlace): IndexedValues {
    if (this.#indexes.size === 0) return NO_VALUES;
    const subject = this.#subject(place);
    const found: IndexedValues[number][] = [];
    for (const [name, { postings, valuesOf }] of this.#indexes) {
      found.push({ postings, values: this.#values(name, valuesOf, subject) });
    }
    return found;
  }

  /** Adds a record with its {@link valuesOf}. */
  add(record: number, indexed: IndexedValues): void {
    for (const { postings, values } of indexed) postings.add(record, values);
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
      reportGuarded(() => this.#onFailure(name, subject.object, error));
      return [];
    }
  }

  #subject(place: EntryPlace): Subject<T> {
    return new Subject(this.#decode, place);
  }
}

/** An object to index. It is decoded once for all index functions. */
class Subject<T extends KubernetesObject> {
  readonly place: EntryPlace;
  readonly #decode: EntryDecoder<T>;
  #object: DeepReadonly<T> | undefined;

  constructor(decode: EntryDecoder<T>, place: EntryPlace) {
    this.#decode = decode;
    this.place = place;
  }

  get object(): DeepReadonly<T> {
    return (this.#object ??= this.#decode(this.place.memory, this.place.entry));
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
