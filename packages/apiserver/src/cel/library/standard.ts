import { compileExpression } from '../../schema/regular-expression.ts';
import { addLists, compareValues, isEqual } from '../equality.ts';
import type { Overload } from '../functions.ts';
import { overload } from '../functions.ts';
import { isTimestamp } from '../time.ts';
import type { Value, List } from '../values.ts';
import { Duration, EvaluationError, MapValue, noSuchOverload, sizeOf, Timestamp, Uint } from '../values.ts';
import { conversions } from './conversions.ts';
import { timeFunctions } from './times.ts';

const INT_OVERFLOW = 'integer overflow';

function int(value: bigint): bigint {
  if (value !== BigInt.asIntN(64, value)) throw new EvaluationError(INT_OVERFLOW);
  return value;
}

function uint(value: bigint): Uint {
  if (value !== BigInt.asUintN(64, value)) throw new EvaluationError('unsigned integer overflow');
  return new Uint(value);
}

function duration(nanos: bigint): Duration {
  if (nanos !== BigInt.asIntN(64, nanos)) throw new EvaluationError('duration overflow');
  return new Duration(nanos);
}

function timestamp(nanos: bigint, { offset }: Timestamp): Timestamp {
  if (!isTimestamp(nanos)) throw new EvaluationError('timestamp overflow');
  return new Timestamp(nanos, offset);
}

function divisor(value: bigint, what: string): bigint {
  if (value === 0n) throw new EvaluationError(`${what} by zero`);
  return value;
}

const arithmetic: readonly Overload[] = [
  overload('add_int64 _+_: (int,int)->int', (a: bigint, b: bigint) => int(a + b)),
  overload('add_uint64 _+_: (uint,uint)->uint', (a: Uint, b: Uint) => uint(a.value + b.value)),
  overload('add_double _+_: (double,double)->double', (a: number, b: number) => a + b),
  overload('add_string _+_: (string,string)->string', (a: string, b: string) => a + b),
  overload('add_bytes _+_: (bytes,bytes)->bytes', (a: Uint8Array, b: Uint8Array) => Buffer.concat([a, b])),
  overload('add_list _+_: (list(A),list(A))->list(A)', addLists),
  overload('add_duration_duration _+_: (duration,duration)->duration', (a: Duration, b: Duration) =>
    duration(a.nanos + b.nanos),
  ),
  overload('add_timestamp_duration _+_: (timestamp,duration)->timestamp', (a: Timestamp, b: Duration) =>
    timestamp(a.nanos + b.nanos, a),
  ),
  overload('add_duration_timestamp _+_: (duration,timestamp)->timestamp', (a: Duration, b: Timestamp) =>
    timestamp(a.nanos + b.nanos, b),
  ),
  overload('subtract_int64 _-_: (int,int)->int', (a: bigint, b: bigint) => int(a - b)),
  overload('subtract_uint64 _-_: (uint,uint)->uint', (a: Uint, b: Uint) => uint(a.value - b.value)),
  overload('subtract_double _-_: (double,double)->double', (a: number, b: number) => a - b),
  overload('subtract_duration_duration _-_: (duration,duration)->duration', (a: Duration, b: Duration) =>
    duration(a.nanos - b.nanos),
  ),
  overload('subtract_timestamp_duration _-_: (timestamp,duration)->timestamp', (a: Timestamp, b: Duration) =>
    timestamp(a.nanos - b.nanos, a),
  ),
  overload('subtract_timestamp_timestamp _-_: (timestamp,timestamp)->duration', (a: Timestamp, b: Timestamp) =>
    duration(a.nanos - b.nanos),
  ),
  overload('multiply_int64 _*_: (int,int)->int', (a: bigint, b: bigint) => int(a * b)),
  overload('multiply_uint64 _*_: (uint,uint)->uint', (a: Uint, b: Uint) => uint(a.value * b.value)),
  overload('multiply_double _*_: (double,double)->double', (a: number, b: number) => a * b),
  overload('divide_int64 _/_: (int,int)->int', (a: bigint, b: bigint) => int(a / divisor(b, 'division'))),
  overload('divide_uint64 _/_: (uint,uint)->uint', (a: Uint, b: Uint) => uint(a.value / divisor(b.value, 'division'))),
  overload('divide_double _/_: (double,double)->double', (a: number, b: number) => a / b),
  overload('modulo_int64 _%_: (int,int)->int', (a: bigint, b: bigint) => int(a % divisor(b, 'modulus'))),
  overload('modulo_uint64 _%_: (uint,uint)->uint', (a: Uint, b: Uint) => uint(a.value % divisor(b.value, 'modulus'))),
  overload('negate_int64 -_: (int)->int', (a: bigint) => int(-a)),
  overload('negate_double -_: (double)->double', (a: number) => -a),
];

/** Types with an order, and those that numbers compare with across types. */
const ORDERED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'];
const NUMERIC = ['int', 'uint', 'double'];

const COMPARISONS: readonly (readonly [id: string, name: string, holds: (order: number) => boolean])[] = [
  ['less', '_<_', (order) => order < 0],
  ['less_equals', '_<=_', (order) => order <= 0],
  ['greater', '_>_', (order) => order > 0],
  ['greater_equals', '_>=_', (order) => order >= 0],
];

function comparisons(): Overload[] {
  return COMPARISONS.flatMap(([id, name, holds]) => {
    const compare = (a: Value, b: Value): boolean => holds(compareValues(a, b));
    const same = ORDERED.map((type) => overload(`${id}_${type} ${name}: (${type},${type})->bool`, compare));
    const across = NUMERIC.flatMap((left) =>
      NUMERIC.filter((right) => right !== left).map((right) =>
        overload(`${id}_${left}_${right} ${name}: (${left},${right})->bool`, compare),
      ),
    );
    return [...same, ...across];
  });
}

/** Values that cannot be compared are not equal, and `==` fails for them. */
function isUnequal(a: Value, b: Value): boolean {
  try {
    return !isEqual(a, b);
  } catch (error) {
    if (error instanceof EvaluationError) return true;
    throw error;
  }
}

function item(list: List, index: bigint | Uint | number): Value {
  const at = index instanceof Uint ? index.value : index;
  if (typeof at === 'number' && !Number.isInteger(at))
    throw new EvaluationError(`unsupported index value ${at} in list`);
  const found = at < 0 ? undefined : list.items[Number(at)];
  if (found === undefined) throw new EvaluationError(`index out of bounds: ${at}`);
  return found;
}

function entry(map: MapValue, key: Value): Value {
  const found = map.get(key);
  if (found === undefined) throw new EvaluationError(`no such key: ${shown(key)}`);
  return found;
}

function shown(key: Value): string {
  return key instanceof Uint ? String(key.value) : typeof key === 'object' ? '' : String(key);
}

function inserted(map: MapValue, key: Value, value: Value): MapValue {
  if (map.get(key) !== undefined) throw new EvaluationError(`insert failed: key ${shown(key)} already exists`);
  return new MapValue([...map.entries.values(), [key, value]]);
}

function matches(text: string, pattern: string): boolean {
  try {
    return compileExpression(pattern).test(text);
  } catch (error) {
    throw new EvaluationError(error instanceof Error ? error.message : String(error));
  }
}

/** The functions and operators of the CEL specification. */
export const standardLibrary: readonly Overload[] = [
  ...arithmetic,
  ...comparisons(),
  // The evaluator handles the logical operators itself.
  overload('logical_and _&&_: (bool,bool)->bool', noSuchOverload),
  overload('logical_or _||_: (bool,bool)->bool', noSuchOverload),
  overload('conditional _?_:_: (bool,A,A)->A', noSuchOverload),
  overload('not_strictly_false @not_strictly_false: (bool)->bool', noSuchOverload),
  overload('logical_not !_: (bool)->bool', (a: boolean) => !a),
  overload('equals _==_: (A,A)->bool', isEqual),
  overload('not_equals _!=_: (A,A)->bool', isUnequal),
  overload('in_list @in: (A,list(A))->bool', (a: Value, list: List) => list.items.some((one) => isEqual(one, a))),
  overload('in_map @in: (A,map(A,B))->bool', (a: Value, map: MapValue) => map.get(a) !== undefined),
  overload('index_list _[_]: (list(A),int)->A', item),
  overload('index_map _[_]: (map(A,B),A)->B', entry),
  overload('map_insert_key cel.@mapInsert: (map(K,V),K,V)->map(K,V)', inserted),
  overload('map_insert_map cel.@mapInsert: (map(K,V),map(K,V))->map(K,V)', (map: MapValue, added: MapValue) =>
    [...added.entries.values()].reduce((sum, [key, value]) => inserted(sum, key, value), map),
  ),
  ...['string', 'bytes', 'list(A)', 'map(A,B)'].flatMap((type) => {
    const name = type.replace(/\(.*/, '');
    const size = (value: Value): bigint => BigInt(sizeOf(value));
    return [overload(`size_${name} size: (${type})->int`, size), overload(`${name}_size size: ${type}.()->int`, size)];
  }),
  overload('contains_string contains: string.(string)->bool', (text: string, part: string) => text.includes(part)),
  overload('starts_with_string startsWith: string.(string)->bool', (text: string, start: string) =>
    text.startsWith(start),
  ),
  overload('ends_with_string endsWith: string.(string)->bool', (text: string, end: string) => text.endsWith(end)),
  overload('matches_string matches: string.(string)->bool', matches),
  overload('matches matches: (string,string)->bool', matches),
  ...conversions,
  ...timeFunctions,
];
