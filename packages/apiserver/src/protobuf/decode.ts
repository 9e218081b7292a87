import { StatusError, unsupportedMediaType } from '../status.ts';
import type { FieldType, MessageField, MessageName } from './messages.ts';
import { messages } from './messages.ts';
import type { WireField } from './wire.ts';
import { readFields } from './wire.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Prefix of every protobuf body of the Kubernetes API. */
const MAGIC = Buffer.from('k8s\0');
const NOTHING = Buffer.alloc(0);

/**
 * Decodes an object in Kubernetes' protobuf encoding: an envelope (`runtime.Unknown`) with the kind and the message.
 * `kubectl create <kind>` sends built-in kinds in it, regardless of the media types that the server prefers.
 *
 * @throws {StatusError} 415 for a message or field that is missing in {@link messages}, so that no data is dropped
 *   silently.
 */
export function decodeProtobuf(body: Buffer): unknown {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) throw unreadable('it does not begin with "k8s"');
  try {
    const envelope = bytesByNumber(body.subarray(MAGIC.length));
    const typeMeta = bytesByNumber(envelope.get(1) ?? NOTHING);
    const apiVersion = typeMeta.get(1)?.toString() ?? '';
    const kind = typeMeta.get(2)?.toString() ?? '';
    if (!isMessage(kind)) throw unreadable(`it is of kind ${JSON.stringify(kind)}`);
    return { kind, apiVersion, ...decodeMessage(kind, envelope.get(2) ?? NOTHING) };
  } catch (error) {
    throw error instanceof RangeError ? unreadable(error.message) : error;
  }
}

function decodeMessage(name: MessageName, bytes: Buffer): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const wire of readFields(bytes)) {
    const field = messages[name][wire.number];
    if (!field) {
      if (isZero(wire)) continue;
      throw unreadable(`it has a field ${wire.number} in ${name}`);
    }
    const isNumeric = field.type === 'number' || field.type === 'flag';
    if (isNumeric === (wire.type === 'bytes')) throw unreadable(`${field.name} in ${name} is not of its type`);
    // Go writes an unset field as an empty text or message.
    if (wire.type === 'bytes' && wire.value.length === 0 && !field.repeated) continue;
    object[field.name] = join(object[field.name], field, decodeValue(field.type, wire));
  }
  return object;
}

/** Collects repeated fields and map entries, which arrive one at a time. */
function join(before: unknown, { type, repeated }: MessageField, value: unknown): unknown {
  if (repeated) return [...(Array.isArray(before) ? (before as unknown[]) : []), value];
  if (type === 'texts' || type === 'base64s') return { ...(before as object | undefined), ...(value as object) };
  return value;
}

function decodeValue(type: FieldType, { value }: WireField): unknown {
  switch (type) {
    case 'number':
      return Number(value);
    case 'flag':
      return value !== 0n;
    case 'text':
      return value.toString();
    case 'texts':
    case 'base64s': {
      const entry = bytesByNumber(value as Buffer);
      const key = entry.get(1)?.toString() ?? '';
      return { [key]: entry.get(2)?.toString(type === 'texts' ? 'utf8' : 'base64') ?? '' };
    }
    default:
      return decodeMessage(type, value as Buffer);
  }
}

function bytesByNumber(message: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  for (const { number, value } of readFields(message)) if (Buffer.isBuffer(value)) fields.set(number, value);
  return fields;
}

function isMessage(kind: string): kind is MessageName {
  return Object.hasOwn(messages, kind);
}

function isZero({ value }: WireField): boolean {
  return Buffer.isBuffer(value) ? value.length === 0 : value === 0n;
}

function unreadable(why: string): StatusError {
  const { code, reason, message } = unsupportedMediaType(['application/json']);
  return new StatusError(code, reason, `${message}: unsupported protobuf body: ${why}`);
}
