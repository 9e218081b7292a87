import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../schema/schema.ts';
import { allFields } from './fields-of.ts';
import type { Elements, FieldSet } from './field-set.ts';
import { isEmpty, MEMBER, memberWith } from './field-set.ts';
import { takeApart } from './structure.ts';

/** Changes of a write to the fields of an object. */
export interface Changes {
  /** Fields that were added or changed. */
  readonly written: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two states of an object. (Upstream: `typed.Compare`.) */
export function compare(schema: Schema | undefined, before: unknown, after: unknown): Changes {
  const written: Elements = {};
  const removed: Elements = {};
  const old = takeApart(schema, before)?.byElement ?? new Map<string, never>();
  const young = takeApart(schema, after)?.byElement ?? new Map<string, never>();
  for (const [element, part] of young) {
    const previous = old.get(element);
    if (!previous) {
      written[element] = memberWith(allFields(part.schema, part.value));
    } else if (isWhole(part.schema, part.value) || isWhole(part.schema, previous.value)) {
      if (!isDeepStrictEqual(part.value, previous.value)) written[element] = MEMBER;
    } else {
      const inside = compare(part.schema, previous.value, part.value);
      if (!isEmpty(inside.written)) written[element] = inside.written;
      if (!isEmpty(inside.removed)) removed[element] = inside.removed;
    }
  }
  for (const [element, part] of old) {
    if (!young.has(element)) removed[element] = memberWith(allFields(part.schema, part.value));
  }
  return { written, removed };
}

function isWhole(schema: Schema | undefined, value: unknown): boolean {
  return takeApart(schema, value) === undefined;
}
