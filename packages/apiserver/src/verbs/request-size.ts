import { loadedCodec } from '../protobuf/codec.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { StatusError } from '../status.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { isStoredAsJson, storageKey } from './storage-key.ts';
import type { Prepared } from './version-conversion.ts';
import { inVersions } from './version-conversion.ts';

/** Largest request that etcd accepts, in bytes. (Upstream: `DefaultMaxRequestBytes` of etcd.) */
const REQUEST_LIMIT = 1.5 * 1024 * 1024;

/** Largest message that a client of etcd sends, in bytes. (Upstream: `defaultClientMaxCallSendMsgSize` of etcd.) */
const MESSAGE_LIMIT = 2 * 1024 * 1024;

/** Size of the header that etcd adds to a request, in bytes. */
const HEADER_SIZE = 13;

/** Bytes that Go escapes in JSON, and Node.js does not: `<`, `>` and `&`. Each becomes six bytes. */
const ESCAPED: ReadonlySet<number> = new Set([0x3c, 0x3e, 0x26]);
const ESCAPED_SIZE = 6;

/** Room for the key and the fields around the value of a request, in bytes. */
const MARGIN = 4 * 1024;

interface Writing {
  readonly saved: ApiObject;
  /** The serialized object. */
  readonly prepared: Prepared;
  readonly version: number;
}

interface Limits {
  /** Absent if the object is created. */
  readonly previous: StoredObject | undefined;
  /** Whether `managedFields` must not be dropped: they are what an apply changes. */
  readonly keepsManagers: boolean;
}

/**
 * Returns an object as it is stored. One that is too large for etcd loses its `managedFields`, as upstream.
 *
 * @throws {StatusError} 500 if it is still too large.
 */
export function storeWithinLimit(
  type: ResourceType,
  { saved, prepared, version }: Writing,
  { previous, keepsManagers }: Limits,
): StoredObject {
  const stored = prepared.at(version);
  const fault = sizeFault(type, stored, previous);
  if (fault === undefined) return stored;
  if (keepsManagers) throw new StatusError(500, undefined, fault);
  delete saved.metadata.managedFields;
  const smaller = inVersions(type, saved).at(version);
  const rest = sizeFault(type, smaller, previous);
  if (rest !== undefined) throw new StatusError(500, undefined, rest);
  return smaller;
}

/** Returns the error of etcd, or of its client, about an object that is too large. */
function sizeFault(type: ResourceType, stored: StoredObject, previous: StoredObject | undefined): string | undefined {
  // Protobuf is shorter than JSON, and Go's JSON has at most six bytes for one.
  const bound = stored.json.length * (isStoredAsJson(type) ? ESCAPED_SIZE : 1);
  if (bound < REQUEST_LIMIT - MARGIN) return undefined;
  const value = valueSize(type, stored);
  if (value === undefined) return undefined;
  const size = transactionSize(type, stored, previous, value);
  if (size > MESSAGE_LIMIT) {
    const why = `trying to send message larger than max (${size} vs. ${MESSAGE_LIMIT})`;
    return `rpc error: code = ResourceExhausted desc = ${why}`;
  }
  return fieldSize(size) + HEADER_SIZE > REQUEST_LIMIT ? 'etcdserver: request is too large' : undefined;
}

/** Returns the size of an object as a real server stores it, which is without its version. */
function valueSize(type: ResourceType, stored: StoredObject): number | undefined {
  if (isStoredAsJson(type)) {
    const version = `"resourceVersion":"${stored.version}",`.length;
    const escaped = stored.json.reduce((count, byte) => (ESCAPED.has(byte) ? count + 1 : count), 0);
    const newline = 1;
    return stored.json.length - version + escaped * (ESCAPED_SIZE - 1) + newline;
  }
  // Without the codec, neither the request nor the object before was large.
  const codec = loadedCodec();
  const object = parseStored(stored);
  const message = codec?.messages.ofKind(object.apiVersion, object.kind);
  if (!codec || !message) return undefined;
  Reflect.deleteProperty(object.metadata, 'resourceVersion');
  return codec.encodeObject(message, object, object).length;
}

/** Returns the size of the transaction that stores a value, in bytes: a `TxnRequest` of etcd. */
function transactionSize(
  type: ResourceType,
  { namespace, name }: StoredObject,
  previous: StoredObject | undefined,
  value: number,
): number {
  const key = fieldSize(Buffer.byteLength(`/registry/${storageKey(type, namespace, name)}`));
  const target = 2;
  const comparison = target + key + 1 + varintSize(previous?.version ?? 0);
  const put = fieldSize(key + fieldSize(value));
  // An update that finds another version reads the object.
  const otherwise = previous ? fieldSize(fieldSize(key)) : 0;
  return fieldSize(comparison) + fieldSize(put) + otherwise;
}

/** Returns the size of a field of protobuf: its tag, its length and its content. @param length in bytes. */
function fieldSize(length: number): number {
  return 1 + varintSize(length) + length;
}

function varintSize(value: number): number {
  return value < 0x80 ? 1 : 1 + varintSize(Math.floor(value / 0x80));
}
