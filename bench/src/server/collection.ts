import type { ServerHttp2Stream } from 'node:http2';
import type { Kind, KubernetesObject } from '@mcr/core';
import { ChunkWriter } from './chunk-writer.ts';
import type { ObjectShelf } from './object-shelf.ts';

const EXPIRED =
  '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",' +
  '"message":"too old resource version","reason":"Expired","code":410}}\n';

/** The objects of one kind, with its lists and watches. */
export class Collection {
  readonly #kind: Kind<KubernetesObject>;
  readonly #shelf: ObjectShelf;
  /** Positions of the objects on the shelf. */
  readonly #objects: readonly number[];
  /** Watches that have received the initial events. */
  readonly #watches = new Map<ServerHttp2Stream, ChunkWriter>();
  #watched = Promise.withResolvers<void>();

  constructor(kind: Kind<KubernetesObject>, shelf: ObjectShelf, objects: readonly number[]) {
    this.#kind = kind;
    this.#shelf = shelf;
    this.#objects = objects;
  }

  page(query: URLSearchParams, version: number): Buffer {
    const total = this.#objects.length;
    const start = Number(query.get('continue') ?? 0);
    const end = Math.min(start + Number(query.get('limit') ?? total), total);
    const { apiVersion, kind } = this.#kind;
    const more = end < total && { continue: String(end), remainingItemCount: total - end };
    const metadata = JSON.stringify({ resourceVersion: String(version), ...more });
    const pieces: Buffer[] = [
      Buffer.from(`{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":${metadata},"items":[`),
    ];
    const comma = Buffer.from(',');
    for (const [position, index] of this.#objects.slice(start, end).entries()) {
      if (position > 0) pieces.push(comma);
      pieces.push(this.#shelf.at(index));
    }
    return Buffer.concat([...pieces, Buffer.from(']}')]);
  }

  /** @param options.initial whether the watch begins with all objects (KEP-3157). */
  async watch(stream: ServerHttp2Stream, { version, initial }: { version: number; initial: boolean }): Promise<void> {
    const writer = new ChunkWriter(stream);
    stream.once('close', () => this.#watches.delete(stream));
    if (initial) await this.#writeInitial(writer, version);
    if (stream.closed) return;
    this.#watches.set(stream, writer);
    this.#watched.resolve();
  }

  async #writeInitial(writer: ChunkWriter, version: number): Promise<void> {
    for (const index of this.#objects) await writer.write('{"type":"ADDED","object":', this.#shelf.at(index), '}\n');
    const { apiVersion, kind } = this.#kind;
    const metadata = { resourceVersion: String(version), annotations: { 'k8s.io/initial-events-end': 'true' } };
    await writer.write(`${JSON.stringify({ type: 'BOOKMARK', object: { kind, apiVersion, metadata } })}\n`);
    await writer.flush();
  }

  /** Resolves when a client watches the collection and has been sent the initial events. */
  async untilWatched(): Promise<void> {
    while (this.#watches.size === 0) {
      this.#watched = Promise.withResolvers();
      await this.#watched.promise;
    }
  }

  /** Sends an update of the object with this position on the shelf, at the pace of the slowest watch. */
  async update(index: number): Promise<void> {
    const text = this.#shelf.at(index);
    for (const writer of this.#watches.values()) await writer.write('{"type":"MODIFIED","object":', text, '}\n');
  }

  async flush(): Promise<void> {
    for (const writer of this.#watches.values()) await writer.flush();
  }

  /** Number of bytes that its present watches have been sent. */
  get sentBytes(): number {
    return [...this.#watches.values()].reduce((sum, writer) => sum + writer.bytes, 0);
  }

  /** Ends its watches with the error that makes a client list again. */
  async expire(): Promise<void> {
    const ended = [...this.#watches];
    this.#watches.clear();
    for (const [stream, writer] of ended) {
      await writer.write(EXPIRED);
      await writer.flush();
      stream.end();
    }
  }
}
