import type { Value } from './values.ts';
import {
  Duration,
  EvaluationError,
  List,
  MapValue,
  noSuchOverload,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
} from './values.ts';

/** Reports whether two values are equal. Numbers compare across types. */
export function isEqual(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a === 'string') return false;
  const left = numberOf(a);
  const right = left === undefined ? undefined : numberOf(b);
  // Only this operator compares a bigint with a number.
  // eslint-disable-next-line eqeqeq
  if (left !== undefined && right !== undefined) return left == right;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.from(a).equals(b);
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof List) return b instanceof List ? listsEqual(a, b) : differs(a.fromJson, b);
  if (a instanceof MapValue) return b instanceof MapValue ? mapsEqual(a, b) : differs(a.source !== undefined, b);
  if (a instanceof Optional) return b instanceof Optional && optionalsEqual(a, b);
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Opaque) return b instanceof Opaque && a.typeName === b.typeName ? a.equals(b) : differs(true, b);
  return false;
}

/** A value from an object, or of a type of Kubernetes' libraries, cannot be compared with one of another type. */
function differs(fromJson: boolean, other: Value): false {
  if (fromJson && other !== null) throw noSuchOverload();
  return false;
}

function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

function optionalsEqual({ value: a }: Optional, { value: b }: Optional): boolean {
  return a === undefined || b === undefined ? a === b : isEqual(a, b);
}

function listsEqual(a: List, b: List): boolean {
  if (a.items.length !== b.items.length) return false;
  const kind = a.kind === 'atomic' ? b.kind : a.kind;
  if (kind === 'atomic') return a.items.every((item, index) => isEqual(item, b.items[index] ?? null));
  if (kind === 'set') return a.items.every((item) => b.items.some((other) => isEqual(item, other)));
  const { keys } = a.kind === 'map' ? a : b;
  return a.items.every((item) => {
    const other = b.items.find((candidate) => sameKeys(item, candidate, keys));
    return other !== undefined && isEqual(item, other);
  });
}

function mapsEqual(a: MapValue, b: MapValue): boolean {
  if (a.entries.size !== b.entries.size) return false;
  for (const [text, [, value]] of a.entries) {
    const other = b.entries.get(text);
    if (!other || !isEqual(value, other[1])) return false;
  }
  return true;
}

function sameKeys(a: Value, b: Value, keys: readonly string[]): boolean {
  if (!(a instanceof MapValue) || !(b instanceof MapValue)) return false;
  return keys.every((key) => {
    const [left, right] = [a.get(key), b.get(key)];
    return left === undefined || right === undefined ? left === right : isEqual(left, right);
  });
}

/** Adds lists by their semantics (API reference, `x-kubernetes-list-type`). */
export function addLists(a: List, b: List): List {
  if (a.kind === 'set') {
    const added = b.items.filter((item) => !a.items.some((own) => isEqual(own, item)));
    return new List([...a.items, ...added], 'set', [], a);
  }
  if (a.kind === 'map') {
    const items = [...a.items];
    for (const item of b.items) {
      const index = items.findIndex((own) => sameKeys(own, item, a.keys));
      if (index < 0) items.push(item);
      else items[index] = item;
    }
    return new List(items, 'map', a.keys, a);
  }
  return new List([...a.items, ...b.items], 'atomic', [], a);
}

/** Compares two values: negative, 0 or positive. @throws {EvaluationError} if they are not comparable. */
export function compareValues(a: Value, b: Value): number {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) {
    if (Number.isNaN(left) || Number.isNaN(right)) throw new EvaluationError('NaN values cannot be ordered');
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if ((a instanceof Duration && b instanceof Duration) || (a instanceof Timestamp && b instanceof Timestamp)) {
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  }
  throw noSuchOverload();
}
