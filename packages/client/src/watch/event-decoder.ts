import { DocumentError } from '../json/document-error.ts';
import { parseDocument } from '../json/parse-document.ts';
import { Pieces } from '../json/pieces.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { eventProblem } from '../packed/event-problem.ts';
import type { WatchEvent } from '../packed/watch-event.ts';
import { WatchDecodeError } from '../packed/watch-decode-error.ts';

const NEWLINE = 0x0a;

/**
 * Decodes a watch stream: one JSON document per line, for any chunks.
 *
 * Collects the bytes of a line until it is complete, so that no character is split and the cost of a long line is
 * linear in its length.
 */
export class EventDecoder<T extends KubernetesObject> {
  readonly #maxLine: number;
  readonly #onEvent: ((event: WatchEvent<T>, line: string) => void) | undefined;
  /** The current, incomplete line. */
  readonly #line = new Pieces();
  /** Number of bytes of the complete lines before it. */
  #position = 0;

  /**
   * @param maxLine maximum length of a line, in bytes.
   * @param onEvent called with each event and its line.
   */
  constructor(maxLine: number, onEvent?: (event: WatchEvent<T>, line: string) => void) {
    this.#maxLine = maxLine;
    this.#onEvent = onEvent;
  }

  /**
   * Returns the events whose lines end in `chunk`.
   *
   * @throws {WatchDecodeError} if a line is not a watch event or exceeds a limit.
   */
  push(chunk: Uint8Array): WatchEvent<T>[] {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    const first = end > 0 ? chunk.indexOf(NEWLINE) : chunk.length;
    if (this.#line.size + first > this.#maxLine) throw this.#tooLong();
    let lines: Buffer | undefined;
    if (end > 0) {
      this.#line.add(chunk.subarray(0, end));
      lines = this.#line.take();
    }
    if (end < chunk.length) this.#line.add(chunk.subarray(end));
    return lines ? this.#decode(lines) : [];
  }

  /**
   * Returns the event of a last line without a newline, if there is one.
   *
   * @throws {WatchDecodeError} if the stream ended within an event.
   */
  end(): WatchEvent<T>[] {
    return this.#decode(this.#line.take());
  }

  #decode(lines: Buffer): WatchEvent<T>[] {
    // Decodes all lines in one call: slices of one string are cheaper than many small decodings.
    const text = lines.toString('utf8');
    const events: WatchEvent<T>[] = [];
    for (let start = 0; start < text.length;) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline;
      const line = text.slice(start, end);
      if (line.length > 0 && line.trim() !== '') {
        const event = this.#parse(line, start);
        this.#onEvent?.(event, line);
        events.push(event);
      }
      start = end + 1;
    }
    this.#position += lines.length;
    return events;
  }

  #parse(line: string, start: number): WatchEvent<T> {
    if (line.length > this.#maxLine) throw this.#tooLong();
    let event: unknown;
    try {
      event = parseDocument(line);
    } catch (error) {
      if (error instanceof DocumentError) throw this.#error(error.message, line, start);
      throw error;
    }
    const problem = eventProblem(event);
    if (problem !== undefined) throw this.#error(`is not a watch event: ${problem}`, line, start);
    return event as WatchEvent<T>;
  }

  #tooLong(): WatchDecodeError {
    this.#line.clear();
    return new WatchDecodeError(
      `a watch line of more than ${this.#maxLine} bytes begins at byte ${this.#position}: raise limits.object if objects are that large`,
    );
  }

  #error(problem: string, line: string, start: number): WatchDecodeError {
    return new WatchDecodeError(
      `a watch line of ${line.length} characters near byte ${this.#position + start} ${problem}`,
    );
  }
}
