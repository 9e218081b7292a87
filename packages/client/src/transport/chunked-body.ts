/**
 * A body that is read in groups of chunks: those that arrived in one turn of the event loop. A group costs its readers as
 * much as a single chunk. Iterating over the body itself yields each chunk.
 */
export class ChunkedBody implements AsyncIterable<Uint8Array> {
  readonly #groups: AsyncIterable<readonly Uint8Array[]>;

  constructor(groups: AsyncIterable<readonly Uint8Array[]>) {
    this.#groups = groups;
  }

  /** Returns the groups of any body. Chunks of a body without groups are groups of one. */
  static groupsOf(body: AsyncIterable<Uint8Array>): AsyncIterable<readonly Uint8Array[]> {
    return body instanceof ChunkedBody ? body.#groups : singles(body);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const group of this.#groups) yield* group;
  }
}

/** Returns the number of bytes of a group. */
export function sizeOfGroup(group: readonly Uint8Array[]): number {
  return group.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

async function* singles(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Uint8Array[], void, undefined> {
  for await (const chunk of body) yield [chunk];
}
