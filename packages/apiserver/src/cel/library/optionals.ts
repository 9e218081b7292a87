import type { Overload } from '../functions.ts';
import { overload } from '../functions.ts';
import type { Value } from '../values.ts';
import { Duration, EvaluationError, List, MapValue, noSuchOverload, Optional, Timestamp, Uint } from '../values.ts';

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (typeof value !== 'object') return false;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return false;
  if (value instanceof Uint8Array) return value.length === 0;
  // Values from an object do not say whether they are zero.
  if (value instanceof List) return value.items.length === 0 && !value.fromJson;
  return value instanceof MapValue && value.entries.size === 0 && value.source === undefined;
}

/** Returns the part of a list or map at an index or key, if there is one. */
function partOf(operand: Value, key: Value): Optional {
  if (operand instanceof Optional) return operand.value === undefined ? operand : partOf(operand.value, key);
  if (operand instanceof MapValue) return new Optional(operand.get(key));
  if (!(operand instanceof List)) throw noSuchOverload();
  const index = key instanceof Uint ? key.value : key;
  if (typeof index !== 'bigint' && typeof index !== 'number') throw noSuchOverload();
  return new Optional(index < 0 ? undefined : operand.items[Number(index)]);
}

const unwrap = ({ items }: List): List =>
  new List(items.flatMap((item) => (item instanceof Optional && item.value !== undefined ? [item.value] : [])));

/** cel-go's optional types. */
export const optionalLibrary: readonly Overload[] = [
  overload('optional_of optional.of: (V)->optional(V)', (value: Value) => new Optional(value)),
  overload(
    'optional_ofNonZeroValue optional.ofNonZeroValue: (V)->optional(V)',
    (value: Value) => new Optional(isZero(value) ? undefined : value),
  ),
  overload('optional_none optional.none: ()->optional(V)', () => new Optional(undefined)),
  overload('optional_value value: optional(V).()->V', ({ value }: Optional) => {
    if (value === undefined) throw new EvaluationError('optional.none() dereference');
    return value;
  }),
  overload('optional_hasValue hasValue: optional(V).()->bool', ({ value }: Optional) => value !== undefined),
  // The evaluator handles these itself, because their argument may not be evaluated.
  overload('optional_or_optional or: optional(V).(optional(V))->optional(V)', noSuchOverload),
  overload('optional_orValue_value orValue: optional(V).(V)->V', noSuchOverload),
  overload('list_optindex_optional_int _[?_]: (list(V),int)->optional(V)', partOf),
  overload('optional_list_optindex_optional_int _[?_]: (optional(list(V)),int)->optional(V)', partOf),
  overload('map_optindex_optional_value _[?_]: (map(K,V),K)->optional(V)', partOf),
  overload('optional_map_optindex_optional_value _[?_]: (optional(map(K,V)),K)->optional(V)', partOf),
  overload('optional_list_index_int _[_]: (optional(list(V)),int)->optional(V)', partOf),
  overload('optional_map_index_value _[_]: (optional(map(K,V)),K)->optional(V)', partOf),
  overload('optional_unwrap optional.unwrap: (list(optional(V)))->list(V)', unwrap),
  overload('optional_unwrapOpt unwrapOpt: list(optional(V)).()->list(V)', unwrap),
];
