import type { FieldError } from '../../../status.ts';
import { duplicateField } from '../../../status.ts';
import { atMost } from '../rules.ts';

/** Rules of a list of the group resource.k8s.io. */
export interface ListRules {
  /** Largest number of items. Default: no limit. */
  readonly limit?: number;
  /** Returns the errors of an item. */
  readonly item: (field: string, item: unknown) => readonly FieldError[];
  /** Returns the key of an item, which no other item may have. Default: items may be equal. */
  readonly key?: (item: unknown) => unknown;
}

/** Validates a list: its length first, then each item, then duplicates (upstream: `validateSlice`, `validateSet`). */
export function listErrors(field: string, items: readonly unknown[], { limit, item, key }: ListRules): FieldError[] {
  // A list that is too long is not read further.
  if (limit !== undefined && items.length > limit) return atMost(field, items.length, limit);
  const errors = items.flatMap((each, index) => item(`${field}[${index}]`, each));
  if (!key) return errors;
  const seen = new Set<string>();
  for (const [index, each] of items.entries()) {
    const value = key(each);
    const text = JSON.stringify(value);
    if (seen.has(text)) errors.push(duplicateField(`${field}[${index}]`, value));
    seen.add(text);
  }
  return errors;
}

/** Returns the error of a text or a body with more bytes than allowed. */
export function tooLongField(field: string, limit: number): FieldError {
  return { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${limit} bytes` };
}
