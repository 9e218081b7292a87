import { decodeMessage } from './decode.ts';
import { writeMessage } from './encode.ts';
import type { Message } from './messages.ts';
import { messages } from './messages.ts';
import { BackwardWriter, BYTES, WireError, WireReader } from './wire.ts';

/** Prefix of every object. */
const MAGIC = Buffer.from('k8s\0');

const NOTHING = Buffer.alloc(0);

/** Fields of the envelope, `runtime.Unknown`. */
const TYPE_META = 1;
const RAW = 2;
const CONTENT_ENCODING = 3;
const CONTENT_TYPE = 4;

export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** An object that cannot be decoded, with the kind that its envelope has. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError';
  readonly kind: Kind | undefined;

  constructor(message: string, kind?: Kind) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Decodes an object: an envelope with its kind and its message.
 *
 * @param defaults kind of an envelope without one.
 * @throws {EnvelopeError} with the message of kube-apiserver.
 */
export function decodeObject(body: Buffer, defaults?: Kind): object {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new EnvelopeError(
      `provided data does not appear to be a protobuf message, expected prefix [${[...MAGIC].join(' ')}]`,
    );
  }
  if (body.length === MAGIC.length) throw new EnvelopeError('empty body');
  const { raw, ...found } = orEnvelopeError(() => readEnvelope(body.subarray(MAGIC.length)));
  const kind = found.kind || (defaults?.kind ?? '');
  const apiVersion = found.apiVersion || (defaults?.apiVersion ?? '');
  if (kind === '' || apiVersion === '') {
    const field = kind === '' ? 'Kind' : 'apiVersion';
    const typeMeta = `runtime.TypeMeta{APIVersion:${JSON.stringify(apiVersion)}, Kind:${JSON.stringify(kind)}}`;
    const message = `Object '${field}' is missing in '${typeMeta}'`;
    throw new EnvelopeError(message);
  }
  const message = messages.ofKind(apiVersion, kind);
  if (!message) {
    const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
    throw new EnvelopeError(`no kind "${kind}" is registered for version "${apiVersion}" ${scheme}`, {
      apiVersion,
      kind,
    });
  }
  const content = orEnvelopeError(() => decodeMessage(message, raw), { apiVersion, kind });
  return { kind, apiVersion, ...(content as object) };
}

function readEnvelope(bytes: Buffer): Kind & { readonly raw: Buffer } {
  const fields = bytesByNumber(bytes, 'Unknown', ENVELOPE_FIELDS);
  const typeMeta = bytesByNumber(fields.get(TYPE_META) ?? NOTHING, 'TypeMeta', TYPE_META_FIELDS);
  return {
    apiVersion: typeMeta.get(1)?.toString() ?? '',
    kind: typeMeta.get(2)?.toString() ?? '',
    raw: fields.get(RAW) ?? NOTHING,
  };
}

/** Names of the fields in Go, by number. All of them are bytes. */
const ENVELOPE_FIELDS = ['', 'TypeMeta', 'Raw', 'ContentEncoding', 'ContentType'];
const TYPE_META_FIELDS = ['', 'APIVersion', 'Kind'];

function bytesByNumber(bytes: Buffer, message: string, names: readonly string[]): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  const reader = new WireReader(bytes, message, (number) => names[number]);
  for (let field = reader.next(); field; field = reader.next()) {
    const name = names[field.number];
    if (name === undefined) continue;
    if (field.wireType !== BYTES) throw new WireError(`proto: wrong wireType = ${field.wireType} for field ${name}`);
    fields.set(field.number, field.value);
  }
  return fields;
}

function orEnvelopeError<T>(read: () => T, kind?: Kind): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof WireError ? new EnvelopeError(error.message, kind) : error;
  }
}

/** Encodes an object with its envelope. The message is that of its kind. */
export function encodeObject(message: Message, kind: Kind, json: unknown): Buffer {
  const writer = new BackwardWriter();
  writeEnvelopeEnd(writer);
  writeBytes(writer, RAW, () => writeMessage(writer, message, json));
  writeEnvelopeStart(writer, kind);
  return writer.finish();
}

/** Returns what comes before and after the message of an object. @param length length of the message, in bytes. */
export function encodeEnvelope(kind: Kind, length: number): { readonly start: Buffer; readonly end: Buffer } {
  const end = new BackwardWriter(16);
  writeEnvelopeEnd(end);
  const start = new BackwardWriter(128);
  start.varint(length);
  start.tag(RAW, BYTES);
  writeEnvelopeStart(start, kind);
  return { start: start.finish(), end: end.finish() };
}

function writeEnvelopeStart(writer: BackwardWriter, { apiVersion, kind }: Kind): void {
  writeBytes(writer, TYPE_META, () => {
    writeBytes(writer, 2, () => writer.string(kind));
    writeBytes(writer, 1, () => writer.string(apiVersion));
  });
  writer.bytes(MAGIC);
}

function writeEnvelopeEnd(writer: BackwardWriter): void {
  writeBytes(writer, CONTENT_TYPE, () => undefined);
  writeBytes(writer, CONTENT_ENCODING, () => undefined);
}

/** Returns a frame of a watch: the length of a `WatchEvent` in four bytes, and the event with an encoded object. */
export function encodeEvent(type: string, object: Buffer): Buffer {
  const writer = new BackwardWriter(object.length + 64);
  writeBytes(writer, 2, () => writeBytes(writer, 1, () => writer.bytes(object)));
  writeBytes(writer, 1, () => writer.string(type));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(writer.length);
  writer.bytes(length);
  return writer.finish();
}

function writeBytes(writer: BackwardWriter, number: number, write: () => void): void {
  const before = writer.length;
  write();
  writer.varint(writer.length - before);
  writer.tag(number, BYTES);
}
