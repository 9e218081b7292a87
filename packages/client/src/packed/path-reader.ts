import { FieldCursor, FieldName, type Range } from './field-cursor.ts';
import { OPEN_OBJECT } from './json-bytes.ts';

/** Finds the value at a path in an object's JSON text without decoding the object. */
export class PathReader {
  readonly #names: readonly FieldName[];

  /** @param names names of the fields, the outermost first. Arrays have no names, so no path leads through them. */
  constructor(names: readonly string[]) {
    this.#names = names.map((name) => new FieldName(name));
  }

  /**
   * Returns the place of the value, or `undefined` if there is none. If a field occurs several times, the last one
   * counts, as for `JSON.parse`.
   *
   * @param bytes checked by a scanner.
   * @param start index of the first byte of the object.
   */
  find(bytes: Buffer, start: number): Range | undefined {
    let found: Range | undefined;
    let at = start;
    for (const name of this.#names) {
      if (bytes[at] !== OPEN_OBJECT) return undefined;
      found = new FieldCursor(bytes, at).last(name);
      if (!found) return undefined;
      at = found.start;
    }
    return found;
  }
}
