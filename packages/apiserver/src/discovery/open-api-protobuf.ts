import { codec } from '../protobuf/codec.ts';
import type { EncodedResponse } from '../representation/encoded-response.ts';
import { parseAccept } from '../representation/media-type.ts';

/** Media types of OpenAPI v2 in protobuf, in lower case. Clients request the first, and servers send the second. */
const REQUESTED = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const SENT = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/**
 * Messages of an OpenAPI v2 document, in the notation of the message table, from `openapiv2/OpenAPIv2.proto` of
 * github.com/google/gnostic-models v0.7.0: only the fields that this server uses.
 */
// prettier-ignore
const TABLE = `
@openapi.v2
Document swagger:1?s info:2?.Info paths:8?.Paths definitions:9?.Definitions
Info title:1?s version:2?s
Paths
Definitions additionalProperties:1*.NamedSchema
NamedSchema name:1?s value:2?.Schema
Schema _ref:1?s format:2?s title:3?s description:4?s default:5?.Any multipleOf:6?d maximum:7?d exclusiveMaximum:8?b minimum:9?d exclusiveMinimum:10?b maxLength:11?l minLength:12?l pattern:13?s maxItems:14?l minItems:15?l uniqueItems:16?b maxProperties:17?l minProperties:18?l required:19*s enum:20*.Any additionalProperties:21?.AdditionalPropertiesItem type:22?.TypeItem items:23?.ItemsItem allOf:24*.Schema properties:25?.Properties vendorExtension:31*.NamedAny
NamedAny name:1?s value:2?.Any
Any yaml:2?s
AdditionalPropertiesItem schema:1?.Schema boolean:2?b
Properties additionalProperties:1*.NamedSchema
TypeItem value:1*s
ItemsItem schema:1*.Schema
`;

type Json = Readonly<Record<string, unknown>>;

/** Encoded documents. They are large and often requested. */
const encoded = new WeakMap<object, Buffer>();

/** Returns an OpenAPI v2 document in protobuf, or `undefined` if the client prefers JSON. kubectl requests protobuf. */
export function openApiProtobuf(accept: string | undefined, document: object): EncodedResponse | undefined {
  const preferred = parseAccept(accept).find(
    ({ type }) => /^(?:application|\*)\/(?:json|\*)$/.test(type) || isProtobuf(type),
  );
  if (!preferred || !isProtobuf(preferred.type)) return undefined;
  const body = encoded.get(document) ?? encode(document as Json);
  encoded.set(document, body);
  return { body, contentType: SENT, vary: 'Accept-Encoding, Accept' };
}

function isProtobuf(type: string): boolean {
  return type === REQUESTED || type === SENT;
}

function encode({ definitions, ...document }: Json): Buffer {
  const { encodeMessage, Messages } = codec();
  const message = new Messages(TABLE).ofKind('openapi.v2', 'Document');
  if (!message) throw new Error('the OpenAPI table has no Document');
  return encodeMessage(message, { ...document, definitions: named(definitions as Json) });
}

/** Converts a map of schemas. */
function named(schemas: Json): object {
  return {
    additionalProperties: Object.entries(schemas).map(([name, schema]) => ({ name, value: schemaOf(schema as Json) })),
  };
}

/** Converts a schema of JSON to the fields of its message. Extensions and free values are YAML, which includes JSON. */
function schemaOf(schema: Json): object {
  const {
    $ref,
    default: value,
    enum: values,
    type,
    items,
    allOf,
    properties,
    additionalProperties,
    ...others
  } = schema;
  const extensions = Object.entries(others).filter(([name]) => name.startsWith('x-'));
  return {
    ...others,
    _ref: $ref,
    default: value === undefined ? undefined : anyOf(value),
    enum: Array.isArray(values) ? values.map(anyOf) : undefined,
    type: typeof type === 'string' ? { value: [type] } : undefined,
    items: isObject(items) ? { schema: [schemaOf(items)] } : undefined,
    allOf: Array.isArray(allOf) ? allOf.filter(isObject).map(schemaOf) : undefined,
    properties: isObject(properties) ? named(properties) : undefined,
    additionalProperties: isObject(additionalProperties)
      ? { schema: schemaOf(additionalProperties) }
      : typeof additionalProperties === 'boolean'
        ? { boolean: additionalProperties }
        : undefined,
    vendorExtension: extensions.map(([name, extension]) => ({ name, value: anyOf(extension) })),
  };
}

function anyOf(value: unknown): object {
  return { yaml: `${JSON.stringify(value)}\n` };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
