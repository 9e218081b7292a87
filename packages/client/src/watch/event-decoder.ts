import { hasMetadata } from '../kinds/has-metadata.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { WatchEvent } from './watch-event.ts';
import { WatchDecodeError } from './watch-decode-error.ts';

const NEWLINE = 0x0a;
/** Bytes of one line, at most. An object in etcd has 1.5 MiB at most, and an aggregated API seldom gives more. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** So many pieces become one: each may keep a whole buffer of the socket's in memory, however short it is. */
const LOOSE_PIECES = 1024;

/**
 * Decodes a watch stream: one JSON document per line, however the lines are cut into chunks.
 *
 * Works on bytes until lines are whole, so that no character is cut, and keeps the pieces of an unfinished line apart,
 * so that a long line costs no more than its length.
 */
export class EventDecoder<T extends KubernetesObject> {
  /** The pieces of the line that has not ended yet. */
  #pieces: Uint8Array[] = [];
  /** How many bytes they have. */
  #pending = 0;
  /** How many of the last ones are as they came. */
  #loose = 0;
  /** How many bytes of whole lines came before it. */
  #position = 0;

  /**
   * The events whose lines end in `chunk`.
   *
   * @throws {WatchDecodeError} when a line is not a watch event, or longer than one may be.
   */
  push(chunk: Uint8Array): WatchEvent<T>[] {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    const lines = end > 0 ? this.#complete(chunk.subarray(0, end)) : undefined;
    if (end < chunk.length) this.#keep(chunk.subarray(end));
    return lines ? this.#decode(lines) : [];
  }

  /**
   * The event of a last line without a newline, if there is one.
   *
   * @throws {WatchDecodeError} when the stream ended within an event.
   */
  end(): WatchEvent<T>[] {
    return this.#decode(this.#complete(new Uint8Array()));
  }

  #keep(piece: Uint8Array): void {
    this.#pending += piece.length;
    if (this.#pending > LONGEST_LINE) {
      this.#pieces = [];
      throw new WatchDecodeError(
        `a watch line of more than ${LONGEST_LINE} bytes begins at byte ${this.#position}: no object is as long`,
      );
    }
    this.#pieces.push(piece);
    this.#loose += 1;
    if (this.#loose < LOOSE_PIECES) return;
    this.#pieces.push(Buffer.concat(this.#pieces.splice(-LOOSE_PIECES)));
    this.#loose = 0;
  }

  #complete(tail: Uint8Array): Buffer {
    const pieces = [...this.#pieces, tail];
    this.#pieces = [];
    this.#pending = 0;
    this.#loose = 0;
    return Buffer.concat(pieces);
  }

  #decode(lines: Buffer): WatchEvent<T>[] {
    // Decoded at once: slices of one string cost less than many small decodings.
    const text = lines.toString('utf8');
    const events: WatchEvent<T>[] = [];
    for (let start = 0; start < text.length;) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline;
      const line = text.slice(start, end);
      if (line.length > 0 && line.trim() !== '') events.push(this.#parse(line, start));
      start = end + 1;
    }
    this.#position += lines.length;
    return events;
  }

  #parse(line: string, start: number): WatchEvent<T> {
    let event: unknown;
    try {
      event = JSON.parse(line);
    } catch {
      // The parser's own error quotes the text.
      throw this.#error('is not valid JSON', line, start);
    }
    if (!isWatchEvent<T>(event))
      throw this.#error('is not a watch event: no known type, or no object with metadata', line, start);
    return event;
  }

  #error(problem: string, line: string, start: number): WatchDecodeError {
    return new WatchDecodeError(
      `a watch line of ${line.length} characters near byte ${this.#position + start} ${problem}`,
    );
  }
}

const OBJECT_EVENTS: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

function isWatchEvent<T extends KubernetesObject>(value: unknown): value is WatchEvent<T> {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('object' in value)) return false;
  if (value.type === 'ERROR') return typeof value.object === 'object' && value.object !== null;
  return OBJECT_EVENTS.has(value.type) && hasMetadata(value.object);
}
