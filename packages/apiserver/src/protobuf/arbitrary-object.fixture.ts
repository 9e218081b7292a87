import fc from 'fast-check';
import type { Field, Message, ScalarType } from './messages.ts';
import { zeroOf } from './scalars.ts';

/** Depth from which arbitrary messages are empty. Schemas contain schemas. */
const DEPTH = 5;

const text = fc.oneof(fc.string({ minLength: 1, maxLength: 6 }), fc.constantFrom('\u{1f600}', 'é'));

export interface ObjectOptions {
  /**
   * Whether values may be zero, empty or null. JSON of Go omits many of these, so that the object does not survive a
   * round trip unchanged.
   */
  readonly zeros: boolean;
}

/** Values that are not zero. */
function scalar(type: ScalarType): fc.Arbitrary<unknown> {
  const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
  switch (type) {
    case 's':
      return text;
    case 'y':
      return fc.uint8Array({ minLength: 1, maxLength: 5 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    case 'b':
      return fc.constant(true);
    case 'i':
      return fc.integer().filter((value) => value !== 0);
    case 'l':
      return fc.maxSafeInteger().filter((value) => value !== 0);
    case 'd':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => value !== 0);
    case 'Q':
      return fc.constantFrom('0', '100m', '2Gi', '1500');
    case 'I':
      return fc.oneof(fc.integer(), text);
    case 'R':
      return fc.constantFrom({ a: [1, { b: null }] }, ['x'], 'text', 5, false);
    case 'T':
      return seconds.map((value) => new Date(value * 1000).toISOString().replace('.000Z', 'Z'));
    case 'M':
      return seconds.map((value) => new Date(value * 1000).toISOString().replace('.000Z', '.000123Z'));
  }
}

function valueOf(type: Field['type'], options: ObjectOptions, depth: number): fc.Arbitrary<unknown> {
  if (typeof type !== 'string') return objectOf(type, options, depth);
  return options.zeros ? fc.oneof(scalar(type), fc.constant(zeroOf(type))) : scalar(type);
}

/** JSON of a message, with some of its fields. */
export function objectOf(message: Message, options: ObjectOptions, depth = 0): fc.Arbitrary<unknown> {
  const [first] = message.fields;
  if (message.form === 'list' && first)
    return fc.array(valueOf(first.type, options, depth), { minLength: 1, maxLength: 2 });
  if (message.form === 'alternatives') {
    return fc.oneof(
      ...message.fields.map(({ many, type }) =>
        many === 'list'
          ? fc.array(valueOf(type, options, depth + 1), { minLength: 1, maxLength: 2 })
          : valueOf(type, options, depth + 1),
      ),
    );
  }
  if (depth >= DEPTH) return fc.constant({});
  const parts = message.fields.map((field) => fieldOf(field, options, depth + 1));
  return fc.tuple(...parts).map((values) => Object.assign({}, ...values) as object);
}

function fieldOf({ name, many, type, inline }: Field, options: ObjectOptions, depth: number): fc.Arbitrary<object> {
  if (inline) return valueOf(type, options, depth) as fc.Arbitrary<object>;
  const value = valueOf(type, options, depth);
  const minLength = options.zeros ? 0 : 1;
  const json =
    many === 'list'
      ? fc.array(value, { minLength, maxLength: 2 })
      : many === 'map'
        ? fc.array(fc.tuple(text, value), { minLength, maxLength: 2 }).map((entries) => Object.fromEntries(entries))
        : value;
  return fc.option(json, { freq: 2, nil: undefined }).map((chosen) => (chosen === undefined ? {} : { [name]: chosen }));
}
