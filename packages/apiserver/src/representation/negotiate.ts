import { PROTOBUF } from '../protobuf/codec.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { notAcceptable } from '../status.ts';
import { jsonRepresentation } from './json.ts';
import { SERVED_TYPES, selectFormat } from './media-type.ts';
import { metadataRepresentation } from './partial-metadata.ts';
import { protobufMetadataRepresentation, protobufRepresentation } from './protobuf.ts';
import type { Representation } from './representation.ts';
import { tableRepresentation } from './table.ts';

/**
 * Selects a representation by the `Accept` header (API concepts, "Receiving resources as Tables" and "Protobuf
 * encoding"). Custom resources have no protobuf messages, and tables neither: protobuf is then not acceptable.
 *
 * @throws {StatusError} 406
 */
export function negotiate(accept: string | undefined, type: ResourceType, query: URLSearchParams): Representation {
  let selected: Representation | undefined;
  selectFormat(accept, (format, { as, g, v }) => {
    if (as === undefined && g === undefined && v === undefined) {
      if (format !== PROTOBUF) selected = jsonRepresentation(type);
      else if (type.builtIn) selected = protobufRepresentation(type);
    } else if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) {
      return false;
    } else if (as === 'Table') {
      if (format !== PROTOBUF)
        selected = tableRepresentation(type, query.get('includeObject') ?? 'Metadata', `${g}/${v}`);
    } else if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') {
      if (format !== PROTOBUF) selected = metadataRepresentation(type, as, `${g}/${v}`);
      else if (v === 'v1') selected = protobufMetadataRepresentation(type);
    }
    return selected !== undefined;
  });
  if (!selected) throw notAcceptable(SERVED_TYPES);
  return selected;
}
