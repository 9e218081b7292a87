import { formatJson } from '../json/json.ts';
import type { ObjectMeta } from '../kinds/object.ts';
import { ENTRY, ENTRY_FLAG, ENTRY_HEADER, entrySize } from './entry.ts';
import type { LeasedMemory } from './event-lease.ts';

/** Memory that has entries at the positions {@link entries}. */
export interface EntryBlock extends LeasedMemory {
  readonly entries: readonly number[];
}

/** An object as a server sends it: `apiVersion` and `kind` are optional. */
export interface SentObject {
  readonly metadata: Partial<ObjectMeta>;
}

/** Writes entries of objects, one behind the other. */
export function blockOf(
  objects: readonly SentObject[],
  { listed = false, longInteger = false }: { readonly listed?: boolean; readonly longInteger?: boolean } = {},
): EntryBlock {
  const payloads = objects.map(payloadOf);
  const entries: number[] = [];
  let size = 0;
  for (const { payload } of payloads) {
    entries.push(size);
    size += entrySize(payload.length);
  }
  const memory = new SharedArrayBuffer(size);
  const bytes = Buffer.from(memory);
  const ints = new Int32Array(memory);
  const flags = (listed ? ENTRY_FLAG.listed : 0) | (longInteger ? ENTRY_FLAG.longInteger : 0);
  for (const [at, { payload, header }] of payloads.entries()) {
    const entry = entries[at] as number;
    ints.set(header, entry >> 2);
    ints[(entry >> 2) + ENTRY.flags] = flags;
    payload.copy(bytes, entry + ENTRY_HEADER);
  }
  return { bytes, ints, entries, lastLease: 0 };
}

/** The texts are behind the JSON text here, as those with escapes always are. */
function payloadOf(object: SentObject): { payload: Buffer; header: Int32Array } {
  const json = formatJson(object);
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = object.metadata;
  const header = new Int32Array(ENTRY_HEADER / 4);
  let payload = Buffer.from(json);
  header[ENTRY.json] = payload.length;
  const rangeOf = (field: string, value: unknown): [number, number] => {
    if (value === undefined) return [0, 0];
    const text = formatJson(value);
    const start = Buffer.byteLength(json.slice(0, json.indexOf(`"${field}":${text}`))) + field.length + 3;
    return [start, start + Buffer.byteLength(text)];
  };
  const { metadata } = object;
  [header[ENTRY.metadata], header[ENTRY.metadataEnd]] = rangeOf('metadata', metadata);
  [header[ENTRY.labels], header[ENTRY.labelsEnd]] = rangeOf('labels', metadata.labels);
  [header[ENTRY.generation]] = rangeOf('generation', metadata.generation);
  [header[ENTRY.deletionTimestamp]] = rangeOf('deletionTimestamp', metadata.deletionTimestamp);
  const lengths = [name, namespace, uid, resourceVersion].map((text, at) => {
    header[ENTRY.name + at] = payload.length;
    payload = Buffer.concat([payload, Buffer.from(text)]);
    return Buffer.byteLength(text);
  });
  header[ENTRY.keyLengths] = (lengths[0] as number) | ((lengths[1] as number) << 16);
  header[ENTRY.versionLengths] = (lengths[2] as number) | ((lengths[3] as number) << 16);
  header[ENTRY.length] = payload.length;
  return { payload, header };
}
