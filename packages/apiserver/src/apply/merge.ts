import type { Schema } from '../schema/schema.ts';
import type { FieldSet } from './field-set.ts';
import { isMember } from './field-set.ts';
import type { Part, Parts } from './structure.ts';
import { takeApart } from './structure.ts';

/**
 * Merges `config` into `live`: objects and keyed lists merge, everything else is replaced. (Upstream: `typed.Merge`.)
 */
export function merge(schema: Schema | undefined, live: unknown, config: unknown): unknown {
  const wanted = takeApart(schema, config);
  const present = takeApart(schema, live);
  if (!wanted || present?.kind !== wanted.kind) return config;
  const mergeOne = (element: string, part: Part): unknown => {
    const before = present.byElement.get(element);
    return before ? merge(part.schema, before.value, part.value) : part.value;
  };
  if (wanted.kind === 'list') return mergeItems(present, wanted, mergeOne);
  const fields = new Map(Object.entries(live as object));
  for (const [element, part] of wanted.byElement) fields.set(element.slice(2), mergeOne(element, part));
  return Object.fromEntries(fields);
}

/** Merges list items in the order of the configuration. Items that are not in it keep their places between them. */
function mergeItems(present: Parts, wanted: Parts, mergeOne: (element: string, part: Part) => unknown): unknown[] {
  const items: unknown[] = [];
  const before = [...present.byElement];
  let next = 0;
  const takeOthers = (): void => {
    for (let other = before[next]; other && !wanted.byElement.has(other[0]); other = before[++next]) {
      items.push(other[1].value);
    }
  };
  for (const [element, part] of wanted.byElement) {
    takeOthers();
    if (before[next]?.[0] === element) next += 1;
    items.push(mergeOne(element, part));
  }
  for (const [element, part] of before.slice(next)) if (!wanted.byElement.has(element)) items.push(part.value);
  return items;
}

/**
 * Returns `value` without the members of `fields`, and without parents that became empty. (Upstream:
 * `typed.RemoveItems`.)
 */
export function remove(schema: Schema | undefined, value: unknown, fields: FieldSet): unknown {
  const parts = takeApart(schema, value);
  if (!parts) return value;
  const kept = [...parts.byElement].flatMap(([element, part]) => {
    const inside = fields[element];
    if (!inside) return [[element.slice(2), part.value] as const];
    if (isMember(inside)) return [];
    const left = remove(part.schema, part.value, inside);
    return isEmptyContainer(left) && !isEmptyContainer(part.value) ? [] : [[element.slice(2), left] as const];
  });
  return parts.kind === 'list' ? kept.map(([, item]) => item) : Object.fromEntries(kept);
}

/** Reports whether a value is an empty object or list. */
function isEmptyContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
