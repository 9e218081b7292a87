/** Size at which a chunk is complete, in characters. */
const CHUNK = 64 * 1024;
/** Maximum number of removed rows that are remembered. */
const MAX_REMOVED = 1_000;

interface Entry {
  readonly revision: number;
  /** `undefined` if the row was removed. */
  readonly json: string | undefined;
}

/** An event for viewers. */
export interface Chunk {
  /** In the format of server-sent events. */
  readonly text: string;
  /** Revision that a viewer has after this event. */
  readonly revision: number;
}

/**
 * Rows with a revision that grows with each change. A viewer is a revision: it gets what has changed since, in chunks. So a
 * slow viewer needs no memory, and sees the latest state of each row. One that is too far behind gets a snapshot.
 */
export class Revisions {
  /** In the order of revisions. */
  readonly #entries = new Map<string, Entry>();
  /** Chunks of the current revision, by the revision that they start after. Viewers share them. */
  readonly #chunks = new Map<number, Chunk>();
  readonly #removed = new Set<string>();
  #revision = 0;
  /** Viewers before this revision may have missed the removal of a row. */
  #oldest = 0;

  /** Returns the names of the rows. */
  names(): string[] {
    return [...this.#entries].flatMap(([name, { json }]) => (json === undefined ? [] : name));
  }

  /** Sets a row. Has no effect if it has not changed. @param json `undefined` removes it. */
  set(name: string, json: string | undefined): void {
    if (this.#entries.get(name)?.json === json) return;
    this.#entries.delete(name);
    this.#entries.set(name, { revision: ++this.#revision, json });
    this.#chunks.clear();
    this.#removed.delete(name);
    if (json === undefined) this.#removed.add(name);
    const [oldest] = this.#removed;
    if (this.#removed.size <= MAX_REMOVED || oldest === undefined) return;
    this.#oldest = this.#entries.get(oldest)?.revision ?? this.#oldest;
    this.#removed.delete(oldest);
    this.#entries.delete(oldest);
  }

  /** Returns the next event for a viewer, or `undefined` if it is up to date. @param revision -1 for a new viewer. */
  after(revision: number): Chunk | undefined {
    if (revision === this.#revision) return undefined;
    let chunk = this.#chunks.get(revision);
    if (!chunk) {
      chunk = this.#chunkAfter(revision);
      this.#chunks.set(revision, chunk);
    }
    return chunk;
  }

  #chunkAfter(after: number): Chunk {
    const isReset = after < this.#oldest;
    const [rows, removed]: string[][] = [[], []];
    let [size, revision, complete] = [0, this.#revision, true];
    for (const [name, entry] of this.#entries) {
      if (!isReset && entry.revision <= after) continue;
      if (size >= CHUNK) {
        complete = false;
        break;
      }
      size += entry.json?.length ?? name.length;
      revision = entry.revision;
      if (entry.json !== undefined) rows?.push(entry.json);
      else if (!isReset) removed?.push(JSON.stringify(name));
    }
    const head = `${isReset ? '"reset":true,' : ''}"complete":${complete}`;
    const data = `{${head},"removed":[${removed?.join()}],"rows":[${rows?.join()}]}`;
    return { text: `event: clusters\ndata: ${data}\n\n`, revision: complete ? this.#revision : revision };
  }
}
