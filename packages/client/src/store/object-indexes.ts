import { workInTurns } from '../clock/event-loop-turn.ts';
import { parseJson } from '../json/json.ts';
import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import { reportGuarded } from '../log/guarded-logger.ts';
import { foundText } from '../options/found-text.ts';
import { isPromise } from '../options/is-promise.ts';
import { OPEN_OBJECT } from '../packed/json-bytes.ts';
import { PathReader } from '../packed/path-reader.ts';
import { ENTRY_HEADER, type EntryMemory, type EntryPlace } from './entry.ts';
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
  /** Records from this number on are not in the index yet; `Infinity` if it is complete. */
  next: number;
  /** Whether its function is running, in order to complete the index. */
  isExtracting: boolean;
}

/** Decodes the object of an entry. */
export type EntryDecoder<T extends KubernetesObject> = (memory: EntryMemory, entry: number) => DeepReadonly<T>;

/** The records that a new index must include. */
export interface IndexedRecords {
  /** Records in use are below this number. */
  readonly end: number;
  /** Returns the place of a record's whole entry; `undefined` if the record is not in use. */
  placeOf(record: number): EntryPlace | undefined;
}

export interface ObjectIndexesOptions<T extends KubernetesObject> {
  readonly decode: EntryDecoder<T>;
  /** Returns the current records. */
  readonly records: () => IndexedRecords;
  readonly onFailure: IndexFailureHandler;
}

/** The values of an object in each index. */
export type IndexedValues = readonly {
  readonly index: Pick<Index<never>, 'postings' | 'next'>;
  readonly values: readonly string[];
}[];

const NO_VALUES: IndexedValues = [];

/**
 * The indexes of a store. They remember the values of each record, so that a function runs once for each version.
 *
 * Index functions may read the store and add indexes. Therefore they run before a change, when the store is consistent.
 *
 * An index that is added later is built in turns of the event loop. Its first lookup completes it.
 */
export class ObjectIndexes<T extends KubernetesObject> {
  readonly #indexes = new Map<string, Index<T>>();
  readonly #options: ObjectIndexesOptions<T>;
  #built: Promise<unknown> = Promise.resolve();

  constructor(options: ObjectIndexesOptions<T>) {
    this.#options = options;
  }

  /** Resolves when the indexes that have been added are complete, or removed. */
  get built(): Promise<unknown> {
    return this.#built;
  }

  get byteLength(): number {
    return [...this.#indexes.values()].reduce((sum, { postings }) => sum + postings.byteLength, 0);
  }

  /** Adds an index over existing and future records. If an index with this name exists, does nothing. */
  create(name: string, extract: IndexExtractor<T>): void {
    if (this.#indexes.has(name)) return;
    const valuesOf = typeof extract === 'function' ? byFunction(extract) : byPath<T>(extract);
    const index = { postings: new Postings(), valuesOf, next: 0, isExtracting: false };
    this.#indexes.set(name, index);
    this.#built = Promise.all([this.#built, workInTurns(this.#build(name, index), () => true)]);
  }

  /** Returns the values of an object that is about to be added, with those in indexes that a function adds meanwhile. */
  valuesOf(place: EntryPlace): IndexedValues {
    if (this.#indexes.size === 0) return NO_VALUES;
    const subject = this.#subject(place);
    const found: IndexedValues[number][] = [];
    for (const [name, index] of this.#indexes) found.push({ index, values: this.#values(name, index, subject) });
    return found;
  }

  /** Adds a record with its {@link valuesOf}. */
  add(record: number, indexed: IndexedValues): void {
    // A record behind those that are in the index is included when it is its turn.
    for (const { index, values } of indexed) if (record < index.next) index.postings.add(record, values);
  }

  /** Removes a record from all indexes. */
  remove(record: number): void {
    for (const { postings } of this.#indexes.values()) postings.remove(record);
  }

  /** Removes all records. */
  clear(): void {
    for (const [name, index] of this.#indexes) {
      this.#indexes.set(name, { ...index, postings: new Postings(), next: Infinity });
    }
  }

  /** Returns the records with a value, in every state. @throws {TypeError} if the index does not exist. */
  records(name: string, value: string): Int32Array {
    return this.#complete(name).records(value);
  }

  /**
   * Returns a function that reports whether a record has a value, until the next change.
   *
   * @throws {TypeError} if the index does not exist.
   */
  membership(name: string, value: string): (record: number) => boolean {
    return this.#complete(name).membership(value);
  }

  #complete(name: string): Postings {
    const index = this.#indexes.get(name);
    if (!index) throw unknownIndex(name, [...this.#indexes.keys()]);
    if (index.next !== Infinity) for (const _ of this.#build(name, index));
    return index.postings;
  }

  /** Includes the records that are not in the index yet. One step for each. */
  *#build(name: string, index: Index<T>): Generator<void, void, undefined> {
    while (index.next < this.#options.records().end && this.#indexes.get(name) === index) {
      if (index.isExtracting) {
        throw new TypeError(
          `index ${JSON.stringify(name)} is being built: its function cannot read it: read another index, or list objects`,
        );
      }
      const record = index.next;
      const place = this.#options.records().placeOf(record);
      if (place) {
        index.isExtracting = true;
        const values = this.#values(name, index, this.#subject(place));
        index.isExtracting = false;
        index.postings.add(record, values);
      }
      index.next += 1;
      yield;
    }
    index.next = Infinity;
  }

  #values(name: string, { valuesOf }: Index<T>, subject: Subject<T>): readonly string[] {
    try {
      return valuesOf(subject);
    } catch (error) {
      reportGuarded(() => this.#options.onFailure(name, subject.object, error));
      return [];
    }
  }

  #subject(place: EntryPlace): Subject<T> {
    return new Subject(this.#options.decode, place);
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

function byFunction<T extends KubernetesObject>(extract: (object: DeepReadonly<T>) => unknown): ValuesOf<T> {
  return ({ object }) => {
    const values: string[] = [];
    for (const value of valuesIn(extract(object))) {
      if (typeof value !== 'string') {
        throw new TypeError(`value ${values.length} is ${foundText(value)}: return strings only`);
      }
      values.push(value);
      refuseTooMany(values.length);
    }
    return values;
  };
}

/** Returns the values in the result of an index function. @throws {TypeError} if it cannot have any. */
function valuesIn(result: unknown): Iterable<unknown> {
  if (isPromise(result)) throw new TypeError('the result is a promise: the function must be synchronous');
  // A string is iterable, but its characters are not the values.
  if (typeof result === 'object' && result !== null && Symbol.iterator in result) return result as Iterable<unknown>;
  throw new TypeError(`the result is ${foundText(result)}: return an array of strings`);
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
