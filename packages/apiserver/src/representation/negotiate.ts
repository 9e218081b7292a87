import type { ResourceType } from '../resources/resource-type.ts';
import { notAcceptable } from '../status.ts';
import { jsonRepresentation } from './json.ts';
import { acceptsJson, acceptsYaml, parseAccept } from './media-type.ts';
import { metadataRepresentation } from './partial-metadata.ts';
import type { Representation } from './representation.ts';
import { tableRepresentation } from './table.ts';

/**
 * Selects a representation by the `Accept` header (API concepts, "Receiving resources as Tables").
 *
 * @throws {StatusError} 406
 */
export function negotiate(accept: string | undefined, type: ResourceType, query: URLSearchParams): Representation {
  for (const range of parseAccept(accept)) {
    // The exchange converts JSON to YAML.
    if (!acceptsJson(range) && !acceptsYaml(range)) continue;
    const { as } = range.parameters;
    if (as === undefined) return jsonRepresentation(type);
    if (as === 'Table') return tableRepresentation(type, query.get('includeObject') ?? 'Metadata');
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return metadataRepresentation();
  }
  throw notAcceptable(['application/json']);
}
