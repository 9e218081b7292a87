import type { StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { eventLine, jsonEvent, jsonFormat, listMetadata, openList } from './json.ts';
import { recentEncodings } from './recent-encodings.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { internalPackage } from '../resources/registered-kinds.ts';
import { StatusError } from '../status.ts';
import type { Representation } from './representation.ts';

export const META_VERSION = 'meta.k8s.io/v1';

/** Returns the metadata of an object, for clients that request only that. */
export function partialMetadata(type: ResourceType, stored: StoredObject, apiVersion = META_VERSION): object {
  const { metadata } = parseStored(stored);
  const { annotations, ...others } = metadata;
  const converted = type.convertedAnnotations;
  if (!converted || !annotations) return { kind: 'PartialObjectMetadata', apiVersion, metadata };
  const kept = Object.entries(annotations).filter(([name]) => !converted.includes(name));
  const own = kept.length > 0 ? { annotations: Object.fromEntries(kept) } : {};
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: { ...others, ...own } };
}

function encode(type: ResourceType, stored: StoredObject, apiVersion: string): Buffer {
  return Buffer.from(JSON.stringify(partialMetadata(type, stored, apiVersion)));
}

/** Go type of an object or a list, in messages. */
function goType({ builtIn, group, kind }: ResourceType, suffix: string): string {
  return builtIn ? `*${internalPackage(group)}.${kind}${suffix}` : `*unstructured.Unstructured${suffix}`;
}

/**
 * Objects as `PartialObjectMetadata`, which is the same for all kinds.
 *
 * @param as kind that the client requested. That of a list is not acceptable for an object, and the reverse.
 * @param apiVersion version of that kind.
 */
export function metadataRepresentation(type: ResourceType, as: string, apiVersion: string): Representation {
  const refuse = (is: string): StatusError =>
    new StatusError(406, 'NotAcceptable', `you requested ${as}, but the requested object is ${is}`);
  return {
    ...jsonFormat,
    object(stored) {
      if (as !== 'PartialObjectMetadata' && !type.builtIn)
        throw new StatusError(500, undefined, 'content is not a list');
      if (as !== 'PartialObjectMetadata') throw refuse(`not a list (${goType(type, '')})`);
      return encode(type, stored, apiVersion);
    },
    *list(page) {
      if (as === 'PartialObjectMetadata') throw refuse(`a list (${goType(type, 'List')})`);
      if (page.items.length === 0) {
        const list = { kind: 'PartialObjectMetadataList', apiVersion, metadata: listMetadata(page), items: null };
        yield Buffer.from(JSON.stringify(list));
        return;
      }
      yield openList('PartialObjectMetadataList', apiVersion, page);
      let separator = '';
      for (const stored of page.items) {
        yield Buffer.from(`${separator}${JSON.stringify(partialMetadata(type, stored, apiVersion))}`);
        separator = ',';
      }
      yield Buffer.from(']}');
    },
    event: (event, stored) =>
      jsonEvent(
        event,
        recentEncodings.get(stored, apiVersion, () => encode(type, stored, apiVersion)),
      ),
    bookmark: (version, annotations) =>
      eventLine('BOOKMARK', {
        kind: 'PartialObjectMetadata',
        apiVersion,
        metadata: { resourceVersion: String(version), ...(annotations && { annotations }) },
      }),
  };
}
