import type { EventType } from '../storage/event-log.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Page } from '../verbs/list.ts';

/**
 * Encoding of objects for one client: complete, metadata only, or rows of a table. The returned parts must be joined.
 */
export interface Representation {
  object(stored: StoredObject): Buffer;
  list(page: Page): Iterable<Buffer>;
  /** Returns one line of a watch. */
  event(type: EventType, stored: StoredObject): readonly Buffer[];
  /** Returns the bookmark line of a watch, with the version that it has reached. */
  bookmark(version: number, annotations?: Readonly<Record<string, string>>): Buffer;
}
