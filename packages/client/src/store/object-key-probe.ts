import { randomBytes } from 'node:crypto';
import { ENTRY, entryTextLength, entryTextStart, type EntryMemory } from './entry.ts';

/** Chosen by each process, so that a user cannot prepare names with equal hashes. */
const SECRET = randomBytes(8);
const SEED = SECRET.readInt32LE(0);
const FACTOR = SECRET.readInt32LE(4) | 1;

/** A key to look for. It has a copy of the name's bytes, because it outlives the bytes of a batch. */
export class ObjectKeyProbe {
  #name = new Uint8Array(256);
  #length = 0;
  /** Number of the namespace; -1 if there is no such namespace. */
  namespace = -1;
  hash = 0;

  /** Sets the key from a name in UTF-8. */
  set(bytes: Uint8Array, start: number, end: number, namespace: number): void {
    const length = end - start;
    if (length > this.#name.length) this.#name = new Uint8Array(length);
    const name = this.#name;
    for (let at = 0; at < length; at += 1) name[at] = bytes[start + at] as number;
    this.#length = length;
    this.moveTo(namespace);
  }

  /** Sets the key from a name. */
  setText(name: string, namespace: number): void {
    for (let at = 0; at < name.length; at += 1) {
      const code = name.charCodeAt(at);
      if (code > 0x7f || at >= this.#name.length) {
        const bytes = Buffer.from(name);
        this.set(bytes, 0, bytes.length, namespace);
        return;
      }
      this.#name[at] = code;
    }
    this.#length = name.length;
    this.moveTo(namespace);
  }

  /** Sets another namespace. */
  moveTo(namespace: number): void {
    this.namespace = namespace;
    const name = this.#name;
    let hash = SEED ^ namespace;
    for (let at = 0; at < this.#length; at += 1) {
      hash = Math.imul(hash ^ (name[at] as number), FACTOR);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    this.hash = hash ^ (hash >>> 13);
  }

  /** Reports whether an entry has this name. */
  isNameOf(memory: EntryMemory, entry: number): boolean {
    const length = this.#length;
    if (entryTextLength(memory, entry, ENTRY.name) !== length) return false;
    const start = entryTextStart(memory, entry, ENTRY.name);
    const { bytes } = memory;
    const name = this.#name;
    for (let at = 0; at < length; at += 1) if (name[at] !== bytes[start + at]) return false;
    return true;
  }
}
