import { codec, PROTOBUF } from '../protobuf/codec.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { notAcceptable } from '../status.ts';
import { JSON_TYPE, SERVED_TYPES, selectFormat } from './media-type.ts';

/** An encoded response body. */
export interface EncodedResponse {
  readonly body: Buffer;
  readonly contentType: string;
  /** Request headers that caches must distinguish responses by. */
  readonly vary?: string;
  /** Default: `no-cache, private`. */
  readonly cacheControl?: string;
}

/**
 * Encodes an object that is not stored, for example a Status or a Scale. If the client accepts none of the served
 * formats, the object is JSON, because an error must not be hidden by another one.
 */
export function responseOf(accept: string | undefined, value: object): EncodedResponse {
  return responseIn(responseFormat(accept) ?? JSON_TYPE, value);
}

/** Like {@link responseOf}, for a document. @throws {StatusError} 406 if the client accepts none of the served formats. */
export function acceptedResponse(accept: string | undefined, value: object): EncodedResponse {
  const format = responseFormat(accept);
  if (format === undefined) throw notAcceptable(SERVED_TYPES);
  return responseIn(format, value);
}

/** Encodes an object in a format, or in JSON if it has no protobuf message. */
export function responseIn(format: string, value: object): EncodedResponse {
  if (format === PROTOBUF && 'kind' in value && typeof value.kind === 'string') {
    const { kind } = value;
    // Some discovery documents have a kind only.
    const apiVersion = 'apiVersion' in value && typeof value.apiVersion === 'string' ? value.apiVersion : '';
    const { messages, encodeObject } = codec();
    const message = messages.ofKind(apiVersion, kind);
    if (message) return { body: encodeObject(message, { apiVersion, kind }, value), contentType: PROTOBUF };
  }
  return { body: Buffer.from(JSON.stringify(value)), contentType: JSON_TYPE };
}

/**
 * Returns the format in which a part of an object is sent, for example its scale. Call it before the request is
 * executed.
 *
 * @throws {StatusError} 406, also for protobuf if the object is a custom resource.
 */
export function partFormat(accept: string | undefined, { builtIn }: ResourceType): string {
  const format = responseFormat(accept, builtIn ? SERVED_TYPES : SERVED_TYPES.filter((served) => served !== PROTOBUF));
  if (format === undefined) throw notAcceptable(SERVED_TYPES);
  return format;
}

/** Returns the format of an object that is not stored. It has no other representation, such as a table. */
function responseFormat(accept: string | undefined, formats = SERVED_TYPES): string | undefined {
  return selectFormat(
    accept,
    (format, { as, g, v }) => formats.includes(format) && as === undefined && g === undefined && v === undefined,
  );
}
