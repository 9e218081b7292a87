import { withOrderedErrors } from '../normaliser.ts';
import type { JsonObject } from '../operation.ts';

/** Texts about columns, and a hash of the storage version. */
const UNCOMPARED: ReadonlySet<string> = new Set(['description', 'storageVersionHash']);

/** Replaces values that differ in each run with stable ones: the n-th uid, the n-th version, a time. */
export class NumberedValues {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #names = new Map<string, string>();

  normalise(value: unknown, field = ''): unknown {
    if (UNCOMPARED.has(field)) return undefined;
    // The server sorts them by time in seconds, so the order within one second is random.
    if (field === 'managedFields') return sortedManagers(value).map((entry) => this.normalise(entry));
    // The causes of an apply are in the order of a Go map, which is random.
    if (field === 'causes')
      return sortedBy(value, (cause) => JSON.stringify(cause)).map((cause) => this.normalise(cause));
    if (Array.isArray(value)) return value.map((item) => this.normalise(item));
    if (typeof value === 'object' && value !== null) return this.#object(withOrderedErrors(value as JsonObject));
    if (typeof value !== 'string') return value;
    if (field === 'uid') return this.#nth(this.#uids, value, 'uid');
    if (field === 'resourceVersion') return value === '' ? value : this.#nth(this.#versions, value, 'version');
    if (field === 'continue') return value === '' ? '' : 'token';
    return this.text(value);
  }

  /** Normalises a path or a message. */
  text(text: string): string {
    return text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'time')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uid) => this.#nth(this.#uids, uid, 'uid'))
      .replaceAll(/^\d+[smhd]$/g, 'age')
      .replaceAll(/(?<=ResourceVersion in (?:the precondition|record) \()\d+/g, 'version')
      .replaceAll(/(?<=resourceVersion=)[1-9]\d*/g, (version) => this.#nth(this.#versions, version, 'version'))
      .replaceAll(/(?<=continue=)[^&]+/g, 'token')
      .replaceAll(/\bgenerated-[a-z0-9]{5}\b/g, (name) => this.#nth(this.#names, name, 'generated'));
  }

  #object(value: object): unknown {
    // The version of a list depends on when it was read.
    const isList = 'items' in value || 'rows' in value;
    return Object.fromEntries(
      Object.entries(value).map(([field, item]) => [
        // Items of lists may be identified by a uid.
        field.startsWith('k:') ? this.text(field) : field,
        isList && field === 'metadata'
          ? this.normalise({ ...(item as object), resourceVersion: undefined }, field)
          : this.normalise(item, field),
      ]),
    );
  }

  #nth(known: Map<string, string>, text: string, noun: string): string {
    const found = known.get(text) ?? `${noun}-${known.size + 1}`;
    known.set(text, found);
    return found;
  }
}

function sortedManagers(entries: unknown): unknown[] {
  return sortedBy(entries, (entry) => {
    const { operation = '', manager = '', subresource = '' } = entry as Record<string, string | undefined>;
    return `${operation} ${manager} ${subresource}`;
  });
}

function sortedBy(list: unknown, key: (item: unknown) => string): unknown[] {
  return (list as unknown[]).toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
