import { RECORD, type RecordTable } from './record-table.ts';

interface Namespace {
  readonly text: string;
  first: number;
  last: number;
  count: number;
}

/** The namespaces of a store, and a chain of the records of each. Namespaces without records are removed. */
export class Namespaces {
  readonly #records: RecordTable;
  readonly #numbers = new Map<string, number>();
  readonly #namespaces: (Namespace | undefined)[] = [];
  readonly #free: number[] = [];
  /** The namespace of the latest {@link numberAt}, because neighbours in a list share it. */
  #latest: { readonly number: number; readonly bytes: Uint8Array } | undefined;

  constructor(records: RecordTable) {
    this.#records = records;
  }

  /** Returns the number of a namespace; -1 if it has no records. */
  numberOf(text: string): number {
    return this.#numbers.get(text) ?? -1;
  }

  /** Like {@link numberOf}, for a range of bytes. */
  numberAt(bytes: Buffer, start: number, end: number): number {
    const latest = this.#latest;
    if (latest && isEqual(latest.bytes, bytes, start, end)) return latest.number;
    const number = this.numberOf(bytes.toString('utf8', start, end));
    if (number >= 0) this.#latest = { number, bytes: Uint8Array.prototype.slice.call(bytes, start, end) };
    return number;
  }

  /** Returns the number of a namespace, which may be new. */
  add(bytes: Buffer, start: number, end: number): number {
    const known = this.numberAt(bytes, start, end);
    if (known >= 0) return known;
    const text = bytes.toString('utf8', start, end);
    const number = this.#free.pop() ?? this.#namespaces.length;
    this.#namespaces[number] = { text, first: -1, last: -1, count: 0 };
    this.#numbers.set(text, number);
    return number;
  }

  /** Number of records of a namespace, in every state. */
  countOf(number: number): number {
    return this.#namespaces[number]?.count ?? 0;
  }

  /** Returns the records of a namespace, in every state. */
  recordsOf(text: string): Int32Array {
    const namespace = this.#namespaces[this.numberOf(text)];
    const found = new Int32Array(namespace?.count ?? 0);
    let record = namespace?.first ?? -1;
    for (let at = 0; at < found.length; at += 1) {
      found[at] = record;
      record = this.#records.get(record, RECORD.nextInNamespace);
    }
    return found;
  }

  /** Reports whether a record is in use and belongs to a namespace. */
  has(text: string, record: number): boolean {
    return this.#records.isInUse(record) && this.#records.get(record, RECORD.namespace) === this.numberOf(text);
  }

  /** Appends a record to the chain of its namespace. */
  link(record: number): void {
    const records = this.#records;
    const namespace = this.#of(record);
    records.set(record, RECORD.previousInNamespace, namespace.last);
    records.set(record, RECORD.nextInNamespace, -1);
    if (namespace.last >= 0) records.set(namespace.last, RECORD.nextInNamespace, record);
    else namespace.first = record;
    namespace.last = record;
    namespace.count += 1;
  }

  unlink(record: number): void {
    const records = this.#records;
    const namespace = this.#of(record);
    const previous = records.get(record, RECORD.previousInNamespace);
    const next = records.get(record, RECORD.nextInNamespace);
    if (previous >= 0) records.set(previous, RECORD.nextInNamespace, next);
    else namespace.first = next;
    if (next >= 0) records.set(next, RECORD.previousInNamespace, previous);
    else namespace.last = previous;
    namespace.count -= 1;
    if (namespace.count === 0) this.#remove(records.get(record, RECORD.namespace), namespace.text);
  }

  #of(record: number): Namespace {
    return this.#namespaces[this.#records.get(record, RECORD.namespace)] as Namespace;
  }

  #remove(number: number, text: string): void {
    this.#namespaces[number] = undefined;
    this.#free.push(number);
    this.#numbers.delete(text);
    this.#latest = undefined;
  }
}

function isEqual(text: Uint8Array, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let at = 0; at < text.length; at += 1) if (text[at] !== bytes[start + at]) return false;
  return true;
}
