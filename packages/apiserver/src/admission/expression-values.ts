import { parseTimestamp } from '../cel/time.ts';
import type { CelType } from '../cel/types.ts';
import { DYN } from '../cel/types.ts';
import type { Value } from '../cel/values.ts';
import { List, MapValue } from '../cel/values.ts';
import { valueAt } from '../resources/resource-type.ts';
import { integerOf } from '../schema/exact-integers.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';

/** Converts JSON to the value of a type. Fields of an object that its type does not declare are not visible. */
export function valueOf(json: unknown, type: CelType = DYN): Value {
  if (json === null || json === undefined) return null;
  if (Array.isArray(json)) {
    const [element] = type.params;
    const items = json.map((item) => valueOf(item, element));
    return new List(items, 'atomic', [], { fromJson: type.kind === 'dyn' });
  }
  switch (typeof json) {
    case 'number':
      return Number.isInteger(json) ? integerOf(json) : json;
    case 'boolean':
      return json;
    case 'string':
      return type.kind === 'timestamp' ? (parseTimestamp(json) ?? null) : json;
    default:
      return mapOf(json as JsonObject, type);
  }
}

function mapOf(json: JsonObject, { kind, fields, params }: CelType): MapValue {
  const [, value] = params;
  const entries = Object.entries(json)
    .filter(([name]) => !fields || fields.has(name))
    .map(([name, child]) => [name, valueOf(child, fields ? fields.get(name) : value)] as const);
  return new MapValue(entries, kind === 'object' ? 'object' : 'map');
}

/** Returns the parts of a namespace that expressions see. */
export function visibleNamespace(namespace: ApiObject | undefined): JsonObject | null {
  if (!namespace) return null;
  const { uid, ...metadata } = namespace.metadata;
  return {
    metadata: { ...metadata, UID: uid },
    spec: { finalizers: valueAt(namespace, 'spec.finalizers') ?? [] },
    status: {
      phase: valueAt(namespace, 'status.phase') ?? '',
      conditions: valueAt(namespace, 'status.conditions') ?? [],
    },
  };
}
