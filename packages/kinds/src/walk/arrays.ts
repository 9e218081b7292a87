import type * as core from 'zod/v4/core';
import type { StructuralSchema } from '../structural/structural-schema.ts';
import { propertyOf } from '../structural/property-of.ts';
import { checksOf, refuseCheck } from './checks.ts';
import { metadataOf } from './metadata.ts';
import type { SchemaPath } from './schema-path.ts';
import type { Walk } from './walk.ts';

/** Translates `z.array()`. */
export function arraySchema(schema: core.$ZodArray, at: SchemaPath, walk: Walk): StructuralSchema {
  const result: StructuralSchema = { type: 'array', items: itemSchema(schema._zod.def.element, at.items(), walk) };
  for (const check of checksOf(schema, result, at)) {
    const { def } = check._zod;
    switch (def.check) {
      case 'min_length':
        result.minItems = Math.max(result.minItems ?? 0, def.minimum);
        break;
      case 'max_length':
        result.maxItems = Math.min(result.maxItems ?? Infinity, def.maximum);
        break;
      case 'length_equals':
        result.minItems = Math.max(result.minItems ?? 0, def.length);
        result.maxItems = Math.min(result.maxItems ?? Infinity, def.length);
        break;
      default:
        refuseCheck(check, at);
    }
  }
  checkListType({ ...result, ...metadataOf(schema, at) }, at);
  return result;
}

/** Translates the schema of an item of a list, or of a value of a map. These are never missing. */
export function itemSchema(item: core.$ZodType, at: SchemaPath, walk: Walk): StructuralSchema {
  if (item._zod.optin !== undefined) {
    at.fail('an item cannot be missing, so .optional() and .default() have no effect', 'remove them');
  }
  return walk(item, at);
}

function checkListType(list: StructuralSchema, at: SchemaPath): void {
  const { items = {}, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = list;
  if (listType === 'set' && !isScalar(items)) {
    at.fail('a set of objects or lists has no identity of its items', 'use k8s.listMap(item, [key])');
  }
  if (listType !== 'map') return;
  if (keys.length === 0) at.fail('a list map has no keys', 'use k8s.listMap(item, [key])');
  for (const key of keys) {
    const property = propertyOf(items, key);
    if (!property) at.fail(`the key ${key} of a list map is not a field of its items`, 'add it to the items');
    if (!isScalar(property) || property.nullable) {
      at.fail(`the key ${key} of a list map is not a string, number or boolean`, 'use another field as the key');
    }
    if (!items.required?.includes(key) && property.default === undefined) {
      at.fail(`the key ${key} of a list map is optional`, 'remove .optional(), or use .default()');
    }
  }
}

function isScalar({ type, 'x-kubernetes-int-or-string': isIntOrString }: StructuralSchema): boolean {
  return isIntOrString === true || (type !== undefined && type !== 'object' && type !== 'array');
}
