import type { Field, Message, ScalarType } from './messages.ts';
import { wireTypeOf, writeScalar } from './scalars.ts';
import { BackwardWriter, BYTES } from './wire.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Encodes JSON as a message, byte for byte as Go's generated encoders do: fields in the order of their numbers, maps
 * sorted by key, and every field that is not a pointer in Go, even if it is zero. Skips JSON fields that the message
 * does not have.
 */
export function encodeMessage(message: Message, json: unknown): Buffer {
  const writer = new BackwardWriter();
  writeMessage(writer, message, json);
  return writer.finish();
}

/** Writes the content of a message. */
export function writeMessage(writer: BackwardWriter, message: Message, json: unknown): void {
  const value = message.form === 'object' ? json : namedForm(message, json);
  const object = isObject(value) ? value : {};
  for (let index = message.fields.length - 1; index >= 0; index--) {
    const field = message.fields[index];
    if (!field) continue;
    if (message.form === 'object')
      writeField(writer, field, field.inline ? inlined(field, object) : object[field.name]);
    else writeField(writer, field, object[field.number]);
  }
}

/** Returns the fields of a message with a JSON form of its own, by number. */
function namedForm(message: Message, json: unknown): JsonObject {
  if (message.form === 'list') return { [message.fields[0]?.number ?? 0]: json };
  const values: Record<number, unknown> = {};
  for (const { number, many, type } of message.fields) {
    if (many === 'list') values[number] = Array.isArray(json) ? json : undefined;
    // A schema allows some values, as `true` does.
    else if (type === 'b') values[number] = json !== false && json !== null && json !== undefined;
    else values[number] = isObject(json) ? json : undefined;
  }
  return values;
}

/** Returns the JSON of an inline field: the surrounding object, or `undefined` for a pointer to nothing. */
function inlined({ optional, type }: Field, object: JsonObject): unknown {
  if (!optional || typeof type === 'string') return object;
  return type.fields.some(({ name }) => object[name] !== undefined) ? object : undefined;
}

function writeField(writer: BackwardWriter, field: Field, json: unknown): void {
  const { type } = field;
  switch (field.many) {
    case 'one':
      if ((json === undefined || json === null) && (field.optional || type === 'y')) return;
      writeValue(writer, field.number, type, json);
      return;
    case 'list':
      if (!Array.isArray(json)) return;
      for (let index = json.length - 1; index >= 0; index--) writeValue(writer, field.number, type, json[index]);
      return;
    case 'map':
      if (!isObject(json)) return;
      for (const key of sortedKeys(json).reverse()) {
        const before = writer.length;
        // Go omits bytes that are nil.
        if (type !== 'y' || json[key] !== null) writeValue(writer, 2, type, json[key]);
        writeValue(writer, 1, 's', key);
        writer.varint(writer.length - before);
        writer.tag(field.number, BYTES);
      }
  }
}

function writeValue(writer: BackwardWriter, number: number, type: ScalarType | Message, json: unknown): void {
  const before = writer.length;
  const wireType = typeof type === 'string' ? wireTypeOf(type) : BYTES;
  if (typeof type === 'string') writeScalar(writer, type, json);
  else writeMessage(writer, type, json);
  if (wireType === BYTES) writer.varint(writer.length - before);
  writer.tag(number, wireType);
}

/** Sorts by UTF-8, as Go does. The order of UTF-16 differs for characters beyond the basic plane. */
function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  return keys.some((key) => /[\ud800-\udfff]/.test(key))
    ? keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : keys.sort();
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
