import type { ManagedFieldsEntry } from '../apply/managed-fields.ts';
import type { FieldError } from '../status.ts';
import { UNPRINTABLE } from '../go-quote.ts';
import { invalidField } from '../status.ts';

/** Maximum length of the name of a field manager, in bytes. */
const MANAGER_LIMIT = 128;

/** Maximum length of the name of a subresource, in bytes. */
const SUBRESOURCE_LIMIT = 256;

/** Returns the errors in the name of a field manager. */
export function fieldManagerErrors(field: string, manager: string): FieldError[] {
  if (Buffer.byteLength(manager) > MANAGER_LIMIT) return [tooLong(field, MANAGER_LIMIT)];
  const index = manager.search(UNPRINTABLE);
  if (index < 0) return [];
  const code = manager.codePointAt(index)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
  const at = Buffer.byteLength(manager.slice(0, index));
  return [invalidField(field, manager, `invalid character U+${code} (at position ${at})`)];
}

/** Returns the errors in the managers of an embedded resource. (Upstream: `ValidateManagedFields`.) */
export function managedFieldsErrors(entries: readonly Partial<ManagedFieldsEntry>[]): FieldError[] {
  return entries.flatMap(({ operation = '', fieldsType = '', manager = '', subresource = '' }, index) => {
    const path = `metadata.managedFields[${index}]`;
    const isKnown = operation === 'Apply' || operation === 'Update';
    return [
      ...(isKnown ? [] : [invalidField(`${path}.operation`, operation, 'must be `Apply` or `Update`')]),
      ...(['', 'FieldsV1'].includes(fieldsType)
        ? []
        : [invalidField(`${path}.fieldsType`, fieldsType, 'must be `FieldsV1`')]),
      ...fieldManagerErrors(`${path}.manager`, manager),
      ...(Buffer.byteLength(subresource) > SUBRESOURCE_LIMIT
        ? [tooLong(`${path}.subresource`, SUBRESOURCE_LIMIT)]
        : []),
    ];
  });
}

function tooLong(field: string, limit: number): FieldError {
  return { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${limit} bytes` };
}
