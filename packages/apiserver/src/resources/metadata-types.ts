import { DecodeError } from '../decode-error.ts';
import type { StatusError } from '../status.ts';

/** Go types whose values are texts. */
type TextType = 'types.UID' | 'v1.ManagedFieldsOperationType';

/** Go type of a field, as messages name it. */
type GoType = 'string' | TextType | 'bool' | 'int64' | 'time' | 'map[string]string' | '[]string' | Struct;

/** A list of structs: the fields of one, and the name of its type. */
interface Struct {
  readonly name: string;
  readonly fields: Readonly<Record<string, GoType>>;
}

const OWNER: Struct = {
  name: 'OwnerReference',
  fields: {
    apiVersion: 'string',
    kind: 'string',
    name: 'string',
    uid: 'types.UID',
    controller: 'bool',
    blockOwnerDeletion: 'bool',
  },
};

const MANAGER: Struct = {
  name: 'ManagedFieldsEntry',
  fields: {
    manager: 'string',
    operation: 'v1.ManagedFieldsOperationType',
    apiVersion: 'string',
    time: 'time',
    fieldsType: 'string',
    subresource: 'string',
  },
};

/** Fields of `ObjectMeta`, `k8s.io/apimachinery/pkg/apis/meta/v1`. */
const OBJECT_META: Struct = {
  name: 'ObjectMeta',
  fields: {
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    selfLink: 'string',
    uid: 'types.UID',
    resourceVersion: 'string',
    generation: 'int64',
    creationTimestamp: 'time',
    deletionTimestamp: 'time',
    deletionGracePeriodSeconds: 'int64',
    labels: 'map[string]string',
    annotations: 'map[string]string',
    ownerReferences: OWNER,
    finalizers: '[]string',
    managedFields: MANAGER,
  },
};

/** A value of metadata has the wrong type. The message is that of Go's decoder. */
class MistypedMetadata extends Error {
  override readonly name = 'MistypedMetadata';
}

/**
 * Checks the types of metadata, as the decoder of a real server does.
 *
 * @throws {StatusError} 400 that names the first field with a value of another type.
 */
export function requireMetadataTypes(decoded: DecodedKind, metadata: unknown): void {
  const fault = metadataFault(metadata, decoded.builtIn ? decoded.kind : undefined);
  if (fault !== undefined) throw cannotBeHandled(decoded, fault);
}

/** The kind that a body says, and the one that it should be. */
export interface DecodedKind {
  readonly builtIn: boolean;
  readonly kind: string;
  readonly version: string;
  /** Default: `kind`. */
  readonly wanted?: string;
}

/**
 * Returns Go's message for the first field of metadata with a value of the wrong type.
 *
 * @param kind kind of the object that contains it; `undefined` if the metadata is decoded on its own.
 */
export function metadataFault(metadata: unknown, kind?: string): string | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  if (typeof metadata !== 'object' || Array.isArray(metadata)) {
    const into = kind === undefined ? 'value' : `struct field ${kind}.metadata`;
    return `json: cannot unmarshal ${jsonType(metadata)} into Go ${into} of type v1.ObjectMeta`;
  }
  try {
    checkStruct(OBJECT_META, kind === undefined ? '' : 'metadata.', metadata);
    return undefined;
  } catch (error) {
    if (error instanceof MistypedMetadata) return error.message;
    throw error;
  }
}

/** Reports whether metadata has a field. */
export function isMetadataField(field: string): boolean {
  return Object.hasOwn(OBJECT_META.fields, field);
}

function checkStruct({ name, fields }: Struct, path: string, object: object): void {
  for (const [field, value] of Object.entries(object)) {
    const wanted = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (wanted !== undefined && value !== null) checkField(wanted, { name, path: `${path}${field}` }, value);
  }
}

interface Place {
  /** Go type that contains the field. */
  readonly name: string;
  readonly path: string;
}

function checkField(wanted: GoType, place: Place, value: unknown): void {
  const refuse = (found: unknown, name: string): Error =>
    new MistypedMetadata(
      `json: cannot unmarshal ${jsonType(found)} into Go struct field ${place.name}.${place.path} of type ${name}`,
    );
  if (typeof wanted === 'object') {
    if (!Array.isArray(value)) throw refuse(value, `[]v1.${wanted.name}`);
    for (const item of value as readonly unknown[]) {
      if (item === null) continue;
      if (typeof item !== 'object' || Array.isArray(item)) throw refuse(item, `v1.${wanted.name}`);
      checkStruct(wanted, `${place.path}.`, item);
    }
    return;
  }
  switch (wanted) {
    case 'string':
    case 'types.UID':
    case 'v1.ManagedFieldsOperationType':
      if (typeof value !== 'string') throw refuse(value, wanted);
      return;
    case 'bool':
      if (typeof value !== 'boolean') throw refuse(value, wanted);
      return;
    case 'int64':
      if (typeof value !== 'number') throw refuse(value, wanted);
      if (!Number.isInteger(value))
        throw new MistypedMetadata(
          `json: cannot unmarshal number ${value} into Go struct field ${place.name}.${place.path} of type int64`,
        );
      return;
    case 'time': {
      if (typeof value !== 'string') throw refuse(value, 'string');
      const fault = timeFault(value);
      if (fault !== undefined) throw new MistypedMetadata(fault);
      return;
    }
    case '[]string':
      if (!Array.isArray(value)) throw refuse(value, wanted);
      for (const item of value as readonly unknown[])
        if (item !== null && typeof item !== 'string') throw refuse(item, 'string');
      return;
    case 'map[string]string':
      if (typeof value !== 'object' || Array.isArray(value)) throw refuse(value, wanted);
      for (const item of Object.values(value as object) as readonly unknown[]) {
        if (item !== null && typeof item !== 'string') throw refuse(item, 'string');
      }
  }
}

const LAYOUT = '2006-01-02T15:04:05Z07:00';

/** Parts of a time, and the part of Go's layout that each is. */
const PARTS: readonly (readonly [part: RegExp, layout: string])[] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d{2}/, '01'],
  [/^-/, '-'],
  [/^\d{2}/, '02'],
  [/^T/, 'T'],
  [/^\d{2}/, '15'],
  [/^:/, ':'],
  [/^\d{2}/, '04'],
  [/^:/, ':'],
  [/^\d{2}(?:[.,]\d+)?/, '05'],
  [/^(?:Z|[+-]\d{2}:\d{2})/, 'Z07:00'],
];

/** The layout of times with microseconds, which are never left out. */
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';
const MICRO_PARTS: typeof PARTS = PARTS.flatMap(([part, layout]) =>
  layout === '05'
    ? ([
        [/^\d{2}/, '05'],
        [/^\.\d{6}(?!\d)/, '.000000'],
      ] as const)
    : ([[part, layout]] as const),
);

/** Returns Go's message for a text that is not a time of RFC 3339. @param precision fraction of the seconds. */
export function timeFault(text: string, precision: 'any' | 'micro' = 'any'): string | undefined {
  const [parts, whole] = precision === 'micro' ? [MICRO_PARTS, MICRO_LAYOUT] : [PARTS, LAYOUT];
  let rest = text;
  for (const [part, layout] of parts) {
    const [found] = part.exec(rest) ?? [];
    if (found === undefined) {
      return `parsing time ${quoted(text)} as ${quoted(whole)}: cannot parse ${quoted(rest)} as ${quoted(layout)}`;
    }
    rest = rest.slice(found.length);
  }
  return rest === '' ? undefined : `parsing time ${quoted(text)}: extra text: ${quoted(rest)}`;
}

/** Quotes a text as Go's package `time` does: bytes that are not printable ASCII are hexadecimal. */
function quoted(text: string): string {
  const escaped = text
    .replaceAll(/["\\]/gu, (character) => `\\${character}`)
    .replaceAll(/[^ -\u007f]/gu, (character) =>
      [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    );
  return `"${escaped}"`;
}

/** Returns the type of a JSON value, as Go's decoder names it. */
export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** 400: a body is not an object of the kind. */
export function cannotBeHandled({ kind, version, wanted = kind }: DecodedKind, why: string): StatusError {
  return new DecodeError({ kind, version }, why, wanted);
}
