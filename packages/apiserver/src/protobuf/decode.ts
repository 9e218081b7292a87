import type { Field, Message } from './messages.ts';
import { scalarOfBytes, scalarOfNumber, wireTypeOf, zeroOf } from './scalars.ts';
import { BYTES, VARINT, WireError, WireReader } from './wire.ts';
import type { WireField } from './wire.ts';

/** Maximum depth of messages within messages. JSON of Go has 10,000 levels; each needs some of the stack here. */
const DEPTH_LIMIT = 500;

/** Maximum number of values in one body. An empty message takes two bytes, and becomes a much larger JSON object. */
const VALUE_LIMIT = 400_000;

const NOTHING = Buffer.alloc(0);

/**
 * Decodes a message to the JSON that Go would write for it. Skips unknown fields.
 *
 * @throws {WireError} for malformed bytes, and for messages that are too deep or too large.
 */
export function decodeMessage(message: Message, bytes: Buffer): unknown {
  return new Decoder().decode(message, bytes, 0);
}

type JsonObject = Record<string, unknown>;

/** Values of one message, by field: bytes of a single message, a finished value, or the values of a list or a map. */
type Values = Map<Field, unknown>;

class Decoder {
  #values = 0;

  decode(message: Message, bytes: Buffer, depth: number): unknown {
    if (depth > DEPTH_LIMIT) throw new WireError('proto: exceeded maximum depth');
    this.#count();
    const values = this.#read(message, bytes, depth);
    switch (message.form) {
      case 'list': {
        const [field] = message.fields;
        return field ? (values.get(field) ?? null) : null;
      }
      case 'alternatives':
        return this.#alternative(message, values, depth);
      case 'object':
        return this.#object(message, values, depth);
    }
  }

  #count(): void {
    this.#values += 1;
    if (this.#values > VALUE_LIMIT) throw new WireError(`proto: more than ${VALUE_LIMIT} values`);
  }

  #read(message: Message, bytes: Buffer, depth: number): Values {
    const values: Values = new Map();
    const reader = new WireReader(bytes, message.name, (number) => goNameOf(message.field(number)));
    for (let wire = reader.next(); wire; wire = reader.next()) {
      const field = message.field(wire.number);
      if (!field) continue;
      switch (field.many) {
        case 'one':
          values.set(field, this.#single(field, wire, values.get(field)));
          break;
        case 'list': {
          const list = (values.get(field) ?? []) as unknown[];
          values.set(field, list);
          this.#append(list, field, wire, depth);
          break;
        }
        case 'map': {
          const map = (values.get(field) ?? {}) as JsonObject;
          values.set(field, map);
          this.#put(map, field, wire, depth);
          break;
        }
      }
    }
    return values;
  }

  /** Returns a scalar, or the bytes of a message: a message that arrives in parts is one. */
  #single(field: Field, wire: WireField, before: unknown): unknown {
    if (typeof field.type === 'string') return scalar(field, wire);
    const bytes = bytesOf(field, wire);
    return before === undefined ? bytes : Buffer.concat([before as Buffer, bytes]);
  }

  #append(list: unknown[], field: Field, wire: WireField, depth: number): void {
    const { type } = field;
    if (typeof type !== 'string') {
      list.push(this.decode(type, bytesOf(field, wire), depth + 1));
      return;
    }
    if (wire.wireType === BYTES && wireTypeOf(type) === VARINT) {
      // A packed list.
      for (const packed = new WireReader(wire.value, field.name); !packed.done;) {
        this.#count();
        list.push(scalarOfNumber(type, packed.varint()));
      }
      return;
    }
    this.#count();
    list.push(scalar(field, wire));
  }

  #put(map: JsonObject, field: Field, wire: WireField, depth: number): void {
    this.#count();
    const { type } = field;
    let key = '';
    let value: unknown;
    const entry = new WireReader(bytesOf(field, wire), field.name);
    for (let part = entry.next(); part; part = entry.next()) {
      if (part.number === 1) key = bytesOf(field, part).toString();
      else if (part.number === 2) {
        value = typeof type === 'string' ? scalar(field, part) : this.decode(type, bytesOf(field, part), depth + 1);
      }
    }
    if (value === undefined) {
      value = typeof type === 'string' ? (type === 'y' ? '' : zeroOf(type)) : this.decode(type, NOTHING, depth + 1);
    }
    set(map, key, value);
  }

  #object(message: Message, values: Values, depth: number): JsonObject {
    const object: JsonObject = {};
    for (const field of message.fields) {
      const value = values.get(field);
      const { type, name } = field;
      if (field.many !== 'one') {
        if (value !== undefined) set(object, name, value);
        else if (field.required) object[name] = null;
      } else if (value === undefined && field.optional) {
        if (field.required) object[name] = null;
      } else if (typeof type !== 'string') {
        const inner = this.decode(type, (value ?? NOTHING) as Buffer, depth + 1);
        if (field.inline) Object.assign(object, inner);
        else object[name] = inner;
      } else {
        const json = value ?? zeroOf(type);
        if (field.optional || field.required || !isOmitted(field, json)) object[name] = json;
      }
    }
    return object;
  }

  /** Returns the JSON of a message that is one of its fields: the last one that has a value, else the first. */
  #alternative(message: Message, values: Values, depth: number): unknown {
    for (const field of message.fields.toSorted((a, b) => rankOf(b) - rankOf(a))) {
      const value = values.get(field);
      if (value === undefined) continue;
      return typeof field.type === 'string' || field.many !== 'one'
        ? value
        : this.decode(field.type, value as Buffer, depth + 1);
    }
    return message.fields.some(({ type }) => type === 'b') ? false : null;
  }
}

/** Order of alternatives: lists before a schema before a bool. (Upstream: `MarshalJSON` of the three types.) */
function rankOf({ many, type }: Field): number {
  return many === 'list' ? 2 : type === 'b' ? 0 : 1;
}

/** Returns whether JSON omits a zero value. Structures are not omitted: a zero time is `null`. */
function isOmitted({ type, omitZero }: Field, json: unknown): boolean {
  switch (type) {
    case 'T':
    case 'M':
      return omitZero && json === null;
    case 'Q':
    case 'I':
    case 'R':
      return false;
    case 'y':
      return json === null || json === '';
    default:
      return json === '' || json === 0 || json === false;
  }
}

function scalar(field: Field, wire: WireField): unknown {
  const type = field.type as Exclude<Field['type'], Message>;
  if (wire.wireType !== wireTypeOf(type)) throw wrongType(field, wire);
  return wire.wireType === BYTES ? scalarOfBytes(type, wire.value) : scalarOfNumber(type, wire.value);
}

function bytesOf(field: Field, wire: WireField): Buffer {
  if (wire.wireType !== BYTES) throw wrongType(field, wire);
  return wire.value;
}

function wrongType(field: Field, { wireType }: WireField): WireError {
  return new WireError(`proto: wrong wireType = ${wireType} for field ${goNameOf(field)}`);
}

/** Returns the name of a field in Go, for errors: its JSON name with a capital, for all but a few fields. */
function goNameOf(field: Field | undefined): string | undefined {
  if (!field) return undefined;
  const { name } = field;
  return name === 'metadata' ? 'ObjectMeta' : name.charAt(0).toUpperCase() + name.slice(1);
}

/** Sets a property, also one with the name of a property of every object. */
function set(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
}
