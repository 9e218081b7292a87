import type { Schema } from '../schema/schema.ts';
import type { Elements, FieldSet } from './field-set.ts';
import { isEmpty, MEMBER, memberWith } from './field-set.ts';
import { takeApart } from './structure.ts';

/**
 * Returns the fields that a configuration claims. A named field that contains others is not claimed itself, but an
 * entry of a map and an item of a list are. (Upstream: `typed.ToFieldSet`.)
 */
export function claimedFields(schema: Schema | undefined, value: unknown): FieldSet {
  const parts = takeApart(schema, value);
  const claimed: Elements = {};
  for (const [element, part] of parts?.byElement ?? []) {
    const inside = takeApart(part.schema, part.value);
    const leaf = !inside || (inside.kind === 'object' && inside.byElement.size === 0);
    const fields = leaf ? MEMBER : claimedFields(part.schema, part.value);
    if (leaf) claimed[element] = MEMBER;
    else if (!part.named) claimed[element] = memberWith(fields);
    else if (!isEmpty(fields)) claimed[element] = fields;
  }
  return claimed;
}

/** Returns all fields of a value, including those that contain others. */
export function allFields(schema: Schema | undefined, value: unknown): FieldSet {
  const fields: Elements = {};
  for (const [element, part] of takeApart(schema, value)?.byElement ?? []) {
    fields[element] = memberWith(allFields(part.schema, part.value));
  }
  return fields;
}
