/** A field of a message, in wire format. */
export type WireField =
  | { readonly number: number; readonly type: 'varint'; readonly value: bigint }
  | { readonly number: number; readonly type: 'bytes'; readonly value: Buffer };

const VARINT = 0;
const BYTES = 2;

/**
 * Yields the fields of a protobuf message. Supports the wire types that Kubernetes uses.
 *
 * @throws {RangeError} if the bytes are not a valid message, or contain a fixed-width number.
 */
export function* readFields(message: Buffer): Generator<WireField> {
  let position = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[position++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a number has no end');
  };
  while (position < message.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case VARINT:
        yield { number, type: 'varint', value: varint() };
        break;
      case BYTES: {
        const end = Number(varint()) + position;
        if (end > message.length) throw new RangeError(`field ${number} is longer than its message`);
        yield { number, type: 'bytes', value: message.subarray(position, end) };
        position = end;
        break;
      }
      default:
        throw new RangeError(`field ${number} has the wire type ${tag & 7}`);
    }
  }
}
