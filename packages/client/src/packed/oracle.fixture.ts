import { DocumentError } from '../json/document-error.ts';
import { parseDocument } from '../json/parse-document.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { expected, listMetadataProblem, namedObjectProblem } from '../kinds/object-shape.ts';
import { EventDecoder } from '../watch/event-decoder.ts';
import { ListScanner, type ListScannerOptions } from './list-scanner.ts';
import { ObjectShapeError } from './object-shape-error.ts';
import { unpacked, unpackedOf, type Unpacked } from './unpacked.fixture.ts';
import { isWatchDecodeError } from './watch-decode-error.ts';
import { WatchScanner } from './watch-scanner.ts';

const MIB = 1024 * 1024;
export const MAX_LINE = 8 * MIB;

type Item = Unpacked | { readonly type: string; readonly object: unknown };

/** Returns the items of a watch stream by the scanner. */
export function scannedWatch(chunks: readonly Uint8Array[], maxLine = MAX_LINE): Item[] {
  const scanner = new WatchScanner({ maxLine });
  return [...chunks.flatMap((chunk) => scanner.push(chunk)), ...scanner.end()].flatMap((item): Item[] =>
    item.type === 'objects' ? unpacked(item.batch) : [item],
  );
}

/** Returns what {@link scannedWatch} must return, by the decoder that parses each line. */
export function decodedWatch(bytes: Uint8Array): Item[] {
  const decoder = new EventDecoder<KubernetesObject>(MAX_LINE);
  return [...decoder.push(bytes), ...decoder.end()].map((event): Item => {
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') return event;
    return unpackedOf(event.type, event.object);
  });
}

/** Returns a result, or the message of the error. */
export function watchOutcome<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    // The decoder counts characters in one chunk, the scanner bytes.
    if (isWatchDecodeError(error)) return error.message.replace(/near byte \d+/, '');
    throw error;
  }
}

/** Returns bytes in chunks of a size. */
export function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}

interface Scanned {
  readonly metadata: unknown;
  readonly objects: readonly Unpacked[];
}

/** Returns a list by the scanner. */
export function scannedList(chunks: readonly Uint8Array[], options: Partial<ListScannerOptions> = {}): Scanned {
  const scanner = new ListScanner({ maxItem: 8 * MIB, ...options });
  const batches = chunks.map((chunk) => scanner.push(chunk));
  const { metadata, batch } = scanner.end();
  return { metadata, objects: [...batches, batch].flatMap((each) => (each ? unpacked(each) : [])) };
}

/** Returns what {@link scannedList} must return, by a parser of the whole list. */
export function decodedList(bytes: Buffer): Scanned {
  const list = parseDocument(bytes.toString('utf8'));
  const wrong = (problem: string | undefined) => {
    if (problem !== undefined) throw new ObjectShapeError(problem);
  };
  if (typeof list !== 'object' || list === null) wrong(expected('the document', 'an object', list));
  const { metadata, items } = list as { readonly metadata?: unknown; readonly items?: unknown };
  if (Array.isArray(items)) items.forEach((item, index) => wrong(namedObjectProblem(item, `items[${index}]`)));
  wrong(listMetadataProblem(metadata));
  if (items !== null && !Array.isArray(items)) wrong(expected('items', 'an array', items));
  return { metadata, objects: ((items ?? []) as unknown[]).map((item) => unpackedOf('listed', item)) };
}

/** Returns a result, or why there is none. */
export function listOutcome<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    if (error instanceof DocumentError) return 'not JSON';
    if (error instanceof ObjectShapeError) return error.message;
    throw error;
  }
}
