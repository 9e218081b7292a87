import type { ResourceType } from '../resources/resource-type.ts';
import { notAcceptable } from '../status.ts';
import type { EventType } from '../storage/event-log.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Page } from '../verbs/list.ts';
import { jsonRepresentation } from './json.ts';
import { acceptsJson, parseAccept } from './media-type.ts';
import { metadataRepresentation } from './partial-metadata.ts';
import { tableRepresentation } from './table.ts';

/** How objects are written to one client: whole, as metadata only, or as rows of a table. Parts are to be joined. */
export interface Representation {
  object(stored: StoredObject): Buffer;
  list(page: Page): Iterable<Buffer>;
  /** One line of a watch. */
  event(type: EventType, stored: StoredObject): readonly Buffer[];
  /** The line of a watch that says how far it has come. */
  bookmark(version: number, annotations?: Readonly<Record<string, string>>): Buffer;
}

/** Chooses by the `Accept` header (API concepts, "Receiving resources as Tables"). @throws {StatusError} 406 */
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
