import { compareValues, isEqual } from '../equality.ts';
import type { Overload } from '../functions.ts';
import { overload } from '../functions.ts';
import type { Value } from '../values.ts';
import { Duration, EvaluationError, List, noSuchOverload, Optional, Uint } from '../values.ts';

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const ZERO: Readonly<Record<string, Value>> = { int: 0n, uint: new Uint(0n), double: 0, duration: new Duration(0n) };

function isSorted({ items }: List): boolean {
  return items.every((item, index) => index === 0 || compareValues(items[index - 1] ?? null, item) <= 0);
}

function sum({ items }: List, zero: Value): Value {
  return items.reduce<Value>(add, zero);
}

function add(a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    const value = a + b;
    if (value !== BigInt.asIntN(64, value)) throw new EvaluationError('integer overflow');
    return value;
  }
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (a instanceof Uint && b instanceof Uint) {
    const value = a.value + b.value;
    if (value >= 1n << 64n) throw new EvaluationError('unsigned integer overflow');
    return new Uint(value);
  }
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanos + b.nanos);
  throw noSuchOverload();
}

function extreme({ items }: List, name: 'min' | 'max'): Value {
  const [first, ...rest] = items;
  if (first === undefined) throw new EvaluationError(`${name} called on empty list`);
  return rest.reduce((best, item) => {
    const order = compareValues(item, best);
    return (name === 'min' ? order < 0 : order > 0) ? item : best;
  }, first);
}

function slice({ items }: List, start: bigint, end: bigint): List {
  const range = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new EvaluationError(`${range}, negative indexes not supported`);
  if (start > end) throw new EvaluationError(`${range}, start index must be less than or equal to end index`);
  if (end > BigInt(items.length)) throw new EvaluationError(`${range}, list is length ${items.length}`);
  return new List(items.slice(Number(start), Number(end)));
}

function flatten(list: List, depth = 1n): List {
  if (depth < 0n) throw new EvaluationError('level must be non-negative');
  const flat = ({ items }: List, left: bigint): Value[] =>
    items.flatMap((item) => (item instanceof List && left > 0n ? flat(item, left - 1n) : [item]));
  return new List(flat(list, depth));
}

function distinct({ items }: List): List {
  return new List(items.filter((item, index) => items.findIndex((other) => isEqual(other, item)) === index));
}

function sortBy(list: List, keys: List): List {
  if (list.items.length !== keys.items.length) {
    throw new EvaluationError('@sortByAssociatedKeys() expected a list of the same size as the associated keys list');
  }
  const order = keys.items.map((key, index) => ({ key, index }));
  order.sort((a, b) => compareValues(a.key, b.key) || a.index - b.index);
  return new List(order.map(({ index }) => list.items[index] ?? null));
}

function range(count: bigint): List {
  return new List(Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)));
}

const includes = ({ items }: List, value: Value): boolean => items.some((item) => isEqual(item, value));
const containsAll = (list: List, part: List): boolean => part.items.every((item) => includes(list, item));

/** Kubernetes' list functions, cel-go's `ext.Lists` in version 3, and `ext.Sets`. */
export const listLibrary: readonly Overload[] = [
  ...COMPARABLE.flatMap((type) => [
    overload(`list_${type}_is_sorted_bool isSorted: list(${type}).()->bool`, isSorted),
    overload(`list_${type}_max_${type} max: list(${type}).()->${type}`, (list: List) => extreme(list, 'max')),
    overload(`list_${type}_min_${type} min: list(${type}).()->${type}`, (list: List) => extreme(list, 'min')),
    overload(`list_${type}_sort sort: list(${type}).()->list(${type})`, (list: List) => sortBy(list, list)),
    overload(`list_${type}_sortByAssociatedKeys @sortByAssociatedKeys: list(T).(list(${type}))->list(T)`, sortBy),
  ]),
  ...Object.entries(ZERO).map(([type, zero]) =>
    overload(`list_${type}_sum_${type} sum: list(${type}).()->${type}`, (list: List) => sum(list, zero)),
  ),
  overload('list_a_index_of_int indexOf: list(A).(A)->int', ({ items }: List, value: Value) =>
    BigInt(items.findIndex((item) => isEqual(item, value))),
  ),
  overload('list_a_last_index_of_int lastIndexOf: list(A).(A)->int', ({ items }: List, value: Value) =>
    BigInt(items.findLastIndex((item) => isEqual(item, value))),
  ),
  overload('list_slice slice: list(T).(int,int)->list(T)', slice),
  overload('list_flatten flatten: list(list(T)).()->list(T)', flatten),
  overload('list_flatten_int flatten: list(dyn).(int)->list(dyn)', flatten),
  overload('lists_range lists.range: (int)->list(int)', range),
  overload('list_reverse reverse: list(T).()->list(T)', ({ items }: List) => new List(items.toReversed())),
  overload('list_distinct distinct: list(T).()->list(T)', distinct),
  overload('list_first first: list(V).()->optional(V)', ({ items }: List) => new Optional(items[0])),
  overload('list_last last: list(V).()->optional(V)', ({ items }: List) => new Optional(items.at(-1))),
  overload('list_sets_contains_list sets.contains: (list(T),list(T))->bool', containsAll),
  overload(
    'list_sets_equivalent_list sets.equivalent: (list(T),list(T))->bool',
    (a: List, b: List) => containsAll(a, b) && containsAll(b, a),
  ),
  overload('list_sets_intersects_list sets.intersects: (list(T),list(T))->bool', (a: List, b: List) =>
    a.items.some((item) => includes(b, item)),
  ),
];
