import type { Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { ENTRY, ENTRY_HEADER, type EntryMemory } from './entry.ts';

/**
 * The beginnings of a kind's objects, up to the metadata. API servers omit `apiVersion` and `kind` in lists, but not in
 * watch events.
 */
export class KindPrefix {
  readonly #texts: readonly Buffer[];

  constructor({ apiVersion, kind }: Kind<KubernetesObject>) {
    const version = `"apiVersion":${JSON.stringify(apiVersion)},`;
    const name = `"kind":${JSON.stringify(kind)},`;
    this.#texts = ['', name + version, version + name].map((fields) => Buffer.from(`{${fields}"metadata":`));
  }

  /** Reports whether two entries are the same object, except that one of them omits the kind. */
  isSameBut(a: EntryMemory, entryOfA: number, b: EntryMemory, entryOfB: number): boolean {
    const startOfA = a.ints[(entryOfA >> 2) + ENTRY.metadata] as number;
    const startOfB = b.ints[(entryOfB >> 2) + ENTRY.metadata] as number;
    const length = (a.ints[(entryOfA >> 2) + ENTRY.length] as number) - startOfA;
    if (startOfA === startOfB || (b.ints[(entryOfB >> 2) + ENTRY.length] as number) - startOfB !== length) return false;
    const restOfA = entryOfA + ENTRY_HEADER + startOfA;
    const restOfB = entryOfB + ENTRY_HEADER + startOfB;
    return (
      a.bytes.compare(b.bytes, restOfB, restOfB + length, restOfA, restOfA + length) === 0 &&
      this.#isPrefix(a.bytes, entryOfA + ENTRY_HEADER, restOfA) &&
      this.#isPrefix(b.bytes, entryOfB + ENTRY_HEADER, restOfB)
    );
  }

  #isPrefix(bytes: Buffer, start: number, end: number): boolean {
    return this.#texts.some((text) => text.length === end - start && text.compare(bytes, start, end) === 0);
  }
}
