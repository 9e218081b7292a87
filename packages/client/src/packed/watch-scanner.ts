import { DocumentError } from '../json/document-error.ts';
import { parseDocument } from '../json/parse-document.ts';
import { Pieces } from '../json/pieces.ts';
import { BatchWriter } from './batch-writer.ts';
import { exceedsCost } from './element-cost.ts';
import { eventProblem } from './event-problem.ts';
import { FieldCursor, FieldName } from './field-cursor.ts';
import { CLOSE_OBJECT, equals, NEWLINE } from './json-bytes.ts';
import { PACKED_TYPE, type PackedBatch } from './packed-batch.ts';
import { scanObject } from './scan-object.ts';
import { beginScan, scan, skipSpace } from './scan-value.ts';
import { WatchDecodeError } from './watch-decode-error.ts';
import type { Bookmark } from './watch-event.ts';
import { loadWindow, type Window } from './window.ts';

/** A part of a watch stream: objects that arrived one after the other, a bookmark, or an error. */
export type WatchItem =
  | { readonly type: 'objects'; readonly batch: PackedBatch }
  | { readonly type: 'BOOKMARK'; readonly object: Bookmark }
  /** Must be an object; its fields are not checked. */
  | { readonly type: 'ERROR'; readonly object: unknown };

type ObjectEvent = Exclude<keyof typeof PACKED_TYPE, 'listed'>;

/** Beginning of a line by the first letter of its type, in the form that API servers send. */
const BEGINNINGS = new Map(
  (['ADDED', 'MODIFIED', 'DELETED'] as const).map((type) => {
    const text = Buffer.from(`{"type":"${type}","object":`);
    return [type.charCodeAt(0), { type: PACKED_TYPE[type], text }];
  }),
);
/** Index of the first letter of the type. */
const LETTER = '{"type":"'.length;

const OBJECT = new FieldName('object');

/**
 * Scans a watch stream: one JSON document per line, for any chunks. Each line is scanned once, when it is complete.
 *
 * Lines that are not in the form that API servers send are parsed, and result in the same items or errors.
 */
export class WatchScanner {
  readonly #maxLine: number;
  /** The current, incomplete line. */
  readonly #line = new Pieces();
  /** Number of bytes of the complete lines before it. */
  #position = 0;

  /** @param options.maxLine maximum length of a line, in bytes. */
  constructor({ maxLine }: { readonly maxLine: number }) {
    this.#maxLine = maxLine;
  }

  /**
   * Returns the items of the lines that end in `chunks`, in the order of their arrival.
   *
   * @param chunks must not change later. A call takes about a millisecond for each 512 KiB of lines in the form that API
   * servers send. Other lines take up to 60 times as long.
   * @throws {WatchDecodeError} if a line is not a watch event or exceeds a limit.
   */
  push(...chunks: readonly Uint8Array[]): WatchItem[] {
    for (const chunk of chunks) this.#line.add(chunk);
    const isComplete = chunks.some((chunk) => chunk.includes(NEWLINE));
    if (!isComplete) {
      this.#checkLine();
      return [];
    }
    const window = loadWindow(this.#line.takeAll());
    const end = window.bytes.lastIndexOf(NEWLINE, window.limit) + 1;
    if (end < window.limit) {
      this.#line.add(Buffer.from(window.bytes.subarray(end, window.limit)));
      window.cutAt(end);
    }
    const items = this.#scan(window);
    this.#checkLine();
    return items;
  }

  /**
   * Returns the item of a last line without a newline, if there is one.
   *
   * @throws {WatchDecodeError} if the stream ended within an event.
   */
  end(): WatchItem[] {
    return this.#scan(loadWindow(this.#line.takeAll()));
  }

  /** Releases the window. */
  #scan(window: Window): WatchItem[] {
    const { bytes, limit } = window;
    const items: WatchItem[] = [];
    const writer = new BatchWriter(window);
    beginScan(limit);
    for (let start = 0; skipSpace(bytes, start) < limit;) {
      // Blank lines are skipped at once: each of them would cost as much as an object.
      if (scan.newline >= start) start = scan.newline + 1;
      const next = scanEvent(bytes, start, this.#maxLine, writer);
      start = next > 0 ? next : this.#parseLine(window, start, writer, items);
    }
    takeObjects(writer, items);
    window.release();
    this.#position += limit;
    return items;
  }

  /** Refuses an incomplete line that is too long. */
  #checkLine(): void {
    if (this.#line.size <= this.#maxLine) return;
    this.#line.clear();
    throw this.#tooLong(0);
  }

  /** Parses a line that is not in the usual form. Returns the start of the next line. */
  #parseLine({ bytes, limit }: Window, start: number, writer: BatchWriter, items: WatchItem[]): number {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 || newline > limit ? limit : newline;
    if (end - start > this.#maxLine) throw this.#tooLong(start);
    const line = bytes.toString('utf8', start, end);
    if (line.trim() === '') return end + 1;
    const event = this.#parse(line, start) as { readonly type: 'BOOKMARK' | 'ERROR' | ObjectEvent };
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') {
      takeObjects(writer, items);
      items.push(event as WatchItem);
    } else {
      const object = new FieldCursor(bytes, start + line.indexOf('{')).last(OBJECT);
      if (object) writer.addIrregular(PACKED_TYPE[event.type], object.start, object.end);
    }
    return end + 1;
  }

  #parse(line: string, start: number): unknown {
    let event: unknown;
    try {
      event = parseDocument(line);
    } catch (error) {
      if (error instanceof DocumentError) throw this.#error(error.message, line, start);
      throw error;
    }
    const problem = eventProblem(event);
    if (problem !== undefined) throw this.#error(`is not a watch event: ${problem}`, line, start);
    return event;
  }

  #tooLong(start: number): WatchDecodeError {
    return new WatchDecodeError(
      `a watch line of more than ${this.#maxLine} bytes begins at byte ${this.#position + start}: raise limits.object if objects are that large`,
    );
  }

  #error(problem: string, line: string, start: number): WatchDecodeError {
    return new WatchDecodeError(
      `a watch line of ${line.length} characters near byte ${this.#position + start} ${problem}`,
    );
  }
}

/** Adds the event of a line in the usual form. Returns the start of the next line, or 0 for a line in another form. */
function scanEvent(b: Uint8Array, start: number, maxLine: number, writer: BatchWriter): number {
  const beginning = BEGINNINGS.get(b[start + LETTER] as number);
  if (!beginning || !equals(b, start, beginning.text)) return 0;
  const end = scanObject(b, start + beginning.text.length, 1);
  if (end < 0 || b[end] !== CLOSE_OBJECT) return 0;
  const lineEnd = end + 1;
  if (b[lineEnd] !== NEWLINE && lineEnd !== scan.limit) return 0;
  const isOneLine = scan.newline < start;
  if (!isOneLine || lineEnd - start > maxLine || exceedsCost(b, start, lineEnd)) return 0;
  writer.add(beginning.type);
  return lineEnd + 1;
}

function takeObjects(writer: BatchWriter, items: WatchItem[]): void {
  const batch = writer.take();
  if (batch) items.push({ type: 'objects', batch });
}
