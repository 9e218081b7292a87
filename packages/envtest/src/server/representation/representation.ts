import type { ResourceType } from '../resources/resource-type.ts';
import { notAcceptable } from '../status.ts';
import type { EventType } from '../storage/event-log.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Page } from '../verbs/list.ts';
import { jsonRepresentation } from './json.ts';
import { acceptsJson, parseAccept } from './media-type.ts';
import { metadataRepresentation } from './partial-metadata.ts';
import { tableRepresentation } from './table.ts';

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

/**
 * Selects a representation by the `Accept` header (API concepts, "Receiving resources as Tables").
 *
 * @throws {StatusError} 406
 */
export function negotiate(accept: string | undefined, type: ResourceType, query: URLSearchParams): Representation {
  for (const range of parseAccept(accept)) {
    if (!acceptsJson(range)) continue;
    const { as } = range.parameters;
    if (as === undefined) return jsonRepresentation(type);
    if (as === 'Table') return tableRepresentation(type, query.get('includeObject') ?? 'Metadata');
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return metadataRepresentation();
  }
  throw notAcceptable(['application/json']);
}
