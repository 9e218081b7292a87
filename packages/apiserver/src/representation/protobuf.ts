import { codec, PROTOBUF } from '../protobuf/codec.ts';
import type { Message } from '../protobuf/messages.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf, present } from '../resources/resource-type.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { listMetadata } from './json.ts';
import { META_VERSION, partialMetadata } from './partial-metadata.ts';
import { recentEncodings } from './recent-encodings.ts';
import type { Representation } from './representation.ts';

/** Complete objects in protobuf. */
export function protobufRepresentation(type: ResourceType): Representation {
  return representation(apiVersionOf(type), type.kind, (stored) => present(type, stored));
}

/** Objects as `PartialObjectMetadata` in protobuf. */
export function protobufMetadataRepresentation(type: ResourceType): Representation {
  return representation(META_VERSION, 'PartialObjectMetadata', (stored) => partialMetadata(type, stored));
}

function representation(apiVersion: string, kind: string, jsonOf: (stored: StoredObject) => object): Representation {
  const { encodeEvent, encodeList, encodeObject, encodeMessage } = codec();
  const message = messageOf(apiVersion, kind);
  const format = `${PROTOBUF} ${apiVersion} ${kind}`;
  const encode = (json: object): Buffer => encodeObject(message, { apiVersion, kind }, json);
  return {
    contentType: PROTOBUF,
    streamContentType: `${PROTOBUF};stream=watch`,
    object: (stored) => encode(jsonOf(stored)),
    list: (page) =>
      encodeList(
        {
          message: messageOf(apiVersion, `${kind}List`),
          kind: { apiVersion, kind: `${kind}List` },
          head: { metadata: listMetadata(page) },
        },
        page.items,
        (stored) => encodeMessage(message, jsonOf(stored)),
      ),
    event: (type, stored) => [
      encodeEvent(
        type,
        recentEncodings.get(stored, format, () => encode(jsonOf(stored))),
      ),
    ],
    bookmark: (version, annotations) =>
      encodeEvent(
        'BOOKMARK',
        encode({ metadata: { resourceVersion: String(version), ...(annotations && { annotations }) } }),
      ),
    error: (status) => encodeEvent('ERROR', encodeObject(messageOf('v1', 'Status'), status, status)),
  };
}

function messageOf(apiVersion: string, kind: string): Message {
  const message = codec().messages.ofKind(apiVersion, kind);
  if (!message) throw new Error(`the message table has no ${kind} of ${apiVersion}`);
  return message;
}
