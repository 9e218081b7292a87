import type { Status } from '../status.ts';
import type { EventType } from '../storage/event-log.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Page } from '../verbs/list.ts';

/**
 * Encoding of objects for one client: complete, metadata only, or rows of a table. The returned parts must be joined.
 */
export interface Representation {
  readonly contentType: string;
  /** Content type of a watch. */
  readonly streamContentType: string;
  object(stored: StoredObject): Buffer;
  /** Returns a promise if other requests must get a turn meanwhile. */
  list(page: Page): Iterable<Buffer> | Promise<Iterable<Buffer>>;
  /** Returns one event of a watch: a line of JSON, or a frame of protobuf. */
  event(type: EventType, stored: StoredObject): readonly Buffer[];
  /** Returns the bookmark of a watch, with the version that it has reached. */
  bookmark(version: number, annotations?: Readonly<Record<string, string>>): Buffer;
  /** Returns the event that ends a watch with an error. */
  error(status: Status): Buffer;
}
