import type { StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { eventLine, jsonEvent, jsonFormat, openList } from './json.ts';
import { recentEncodings } from './recent-encodings.ts';
import type { Representation } from './representation.ts';

export const META_VERSION = 'meta.k8s.io/v1';

/** Returns the metadata of an object, for clients that request only that. */
export function partialMetadata(stored: StoredObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: META_VERSION, metadata: parseStored(stored).metadata };
}

function encode(stored: StoredObject): Buffer {
  return Buffer.from(JSON.stringify(partialMetadata(stored)));
}

/** Objects as `PartialObjectMetadata`, which is the same for all kinds. */
export function metadataRepresentation(): Representation {
  return {
    ...jsonFormat,
    object: encode,
    *list(page) {
      yield openList('PartialObjectMetadataList', META_VERSION, page);
      let separator = '';
      for (const stored of page.items) {
        yield Buffer.from(`${separator}${JSON.stringify(partialMetadata(stored))}`);
        separator = ',';
      }
      yield Buffer.from(']}');
    },
    event: (type, stored) =>
      jsonEvent(
        type,
        recentEncodings.get(stored, META_VERSION, () => encode(stored)),
      ),
    bookmark: (version, annotations) =>
      eventLine('BOOKMARK', {
        kind: 'PartialObjectMetadata',
        apiVersion: META_VERSION,
        metadata: { resourceVersion: String(version), ...(annotations && { annotations }) },
      }),
  };
}
