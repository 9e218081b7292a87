/** A value of CEL. Integers are bigint, doubles are numbers. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | List
  | MapValue
  | Optional
  | TypeValue
  | Opaque;

/** An evaluation that failed. The message is that of cel-go. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}

/** An evaluation that exceeded its limit. */
export class CostLimitError extends EvaluationError {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** A function was called with arguments that no overload accepts. */
export class NoSuchOverloadError extends EvaluationError {
  constructor() {
    super('no such overload');
  }
}

export function noSuchOverload(): EvaluationError {
  return new NoSuchOverloadError();
}

export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export class Duration {
  /** In nanoseconds. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Timestamp {
  /** Nanoseconds since 1970. */
  readonly nanos: bigint;
  /** Offset in minutes of the time zone in which the time is written. */
  readonly offset: number;

  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** Semantics of a list: sets and maps compare without order, and merge when they are added. */
export type ListKind = 'atomic' | 'set' | 'map';

export class List {
  readonly items: readonly Value[];
  readonly kind: ListKind;
  /** Fields that identify the items of a list of the kind `map`. */
  readonly keys: readonly string[];
  /** Whether it comes from an object. Such a list cannot be compared with a value of another type. */
  readonly fromJson: boolean;

  constructor(
    items: readonly Value[],
    kind: ListKind = 'atomic',
    keys: readonly string[] = [],
    { fromJson = false }: { readonly fromJson?: boolean } = {},
  ) {
    this.items = items;
    this.kind = kind;
    this.keys = keys;
    this.fromJson = fromJson;
  }
}

/** A map or an object. */
const NO_FAULTS: ReadonlyMap<string, EvaluationError> = new Map();

export class MapValue {
  readonly entries: ReadonlyMap<string, readonly [key: Value, value: Value]>;
  /** Whether it is an object with declared fields, or a map, from an object. */
  readonly source: 'object' | 'map' | undefined;

  /** Errors of values that are not of their declared type, by the text of the key. */
  readonly #faults: ReadonlyMap<string, EvaluationError>;

  constructor(
    entries: readonly (readonly [key: Value, value: Value])[],
    source?: 'object' | 'map',
    faults: ReadonlyMap<string, EvaluationError> = NO_FAULTS,
  ) {
    this.entries = new Map(entries.map((entry) => [keyText(entry[0]), entry]));
    this.source = source;
    this.#faults = faults;
  }

  /** @throws {EvaluationError} if the value is not of its declared type. */
  get(key: Value): Value | undefined {
    const fault = this.#faults.get(keyText(key));
    if (fault) throw fault;
    return this.entries.get(keyText(key))?.[1];
  }

  has(key: Value): boolean {
    return this.entries.has(keyText(key));
  }
}

/** Returns a text that equal keys of maps share. @throws {EvaluationError} for a key of another type. */
export function keyText(key: Value): string {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
  throw new EvaluationError('unsupported key type');
}

export class Optional {
  /** `undefined` if there is no value. */
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a type of Kubernetes' libraries. */
export abstract class Opaque {
  /** Name of its type. */
  abstract readonly typeName: string;
  abstract equals(other: Opaque): boolean;
  /** Size for the calculation of costs. */
  get size(): number {
    return 1;
  }
}

/** Returns the name of the type of a value. */
export function typeNameOf(value: Value): string {
  if (value === null) return 'null_type';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      break;
  }
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof List) return 'list';
  if (value instanceof MapValue) return 'map';
  if (value instanceof Optional) return 'optional_type';
  return value instanceof TypeValue ? 'type' : value.typeName;
}

/** Returns the size of a value for the calculation of costs; 1 for scalars. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof List) return value.items.length;
  if (value instanceof MapValue) return value.entries.size;
  return value instanceof Opaque ? value.size : 1;
}

export function codePoints(text: string): number {
  let pairs = 0;
  for (let index = text.length - 1; index > 0; index--) {
    if (!isLowSurrogate(text.charCodeAt(index)) || !isHighSurrogate(text.charCodeAt(index - 1))) continue;
    pairs += 1;
    index -= 1;
  }
  return text.length - pairs;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
