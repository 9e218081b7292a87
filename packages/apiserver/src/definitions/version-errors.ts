import type { FieldError } from '../status.ts';
import { invalidField, requiredField } from '../status.ts';
import type { DefinitionVersion, PrinterColumn, Subresources, VersionParts } from './definition.ts';
import { findField } from './field-path.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const SELECTABLE_TYPES: ReadonlySet<string> = new Set(['string', 'boolean', 'integer']);
const SELECTABLE_LIMIT = 8;
const WARNING_LIMIT = 256;

export function deprecationErrors({ deprecated, deprecationWarning }: DefinitionVersion, path: string): FieldError[] {
  if (deprecationWarning === undefined) return [];
  const invalid = (detail: string): FieldError =>
    invalidField(`${path}.deprecationWarning`, deprecationWarning, detail);
  if (!deprecated) return [invalid('can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(deprecationWarning) > WARNING_LIMIT) errors.push(invalid('must be <= 256 characters long'));
  if (deprecationWarning === '') errors.push(invalid('must not be an empty string'));
  const index = deprecationWarning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (index >= 0) {
    const at = Buffer.byteLength(deprecationWarning.slice(0, index));
    errors.push(invalid(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`));
  }
  return errors;
}

export function subresourceErrors(subresources: Subresources | undefined, path: string): FieldError[] {
  if (!subresources?.scale) return [];
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = subresources.scale;
  return [
    ...scalePathErrors(specReplicasPath, `${path}.scale.specReplicasPath`, ['.spec.'], 'under .spec'),
    ...scalePathErrors(statusReplicasPath, `${path}.scale.statusReplicasPath`, ['.status.'], 'under .status'),
    ...(labelSelectorPath === ''
      ? []
      : scalePathErrors(
          labelSelectorPath,
          `${path}.scale.labelSelectorPath`,
          ['.spec.', '.status.'],
          'under either .spec or .status',
        )),
  ];
}

function scalePathErrors(value: string, path: string, starts: readonly string[], where: string): FieldError[] {
  if (value === '') return [requiredField(path, '')];
  const simple = simplePathErrors(value, path);
  if (simple.length > 0) return simple;
  if (starts.some((start) => value.startsWith(start))) return [];
  return [invalidField(path, value, `should be a json path ${where}`)];
}

function simplePathErrors(value: string, path: string): FieldError[] {
  return value.startsWith('.') ? [] : [invalidField(path, value, 'must be a simple json path starting with .')];
}

export function columnErrors(columns: readonly PrinterColumn[] = [], path: string): FieldError[] {
  return columns.flatMap(({ name = '', type = '', format = '', jsonPath = '' }, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (name === '') errors.push(requiredField(`${at}.name`, ''));
    if (type === '') errors.push(requiredField(`${at}.type`, types));
    else if (!COLUMN_TYPES.includes(type)) errors.push(invalidField(`${at}.type`, type, types));
    if (format !== '' && !COLUMN_FORMATS.includes(format)) {
      errors.push(invalidField(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
    }
    if (jsonPath === '') errors.push(requiredField(`${at}.JSONPath`, ''));
    else errors.push(...simplePathErrors(jsonPath, `${at}.JSONPath`));
    return errors;
  });
}

/** @param unchanged whether an update keeps the fields, so that too many of them are tolerated. */
export function selectableFieldErrors(
  { selectableFields = [], schema }: VersionParts,
  path: string,
  { unchanged, missingSchema }: { readonly unchanged: boolean; readonly missingSchema: string },
): FieldError[] {
  if (selectableFields.length === 0) return [];
  const root = schema?.openAPIV3Schema;
  if (!root) return [invalidField(path, '', missingSchema)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  selectableFields.forEach(({ jsonPath = '' }, index) => {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === '') {
      errors.push(requiredField(at, ''));
      return;
    }
    try {
      const { text, steps, schema: found } = findField(jsonPath, root, { arrays: false });
      if (steps[0] === 'metadata') errors.push(invalidField(at, jsonPath, 'must not point to fields in metadata'));
      if (!SELECTABLE_TYPES.has(found.type ?? '')) {
        const rule =
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
        errors.push(invalidField(at, jsonPath, rule));
      }
      if (seen.has(text)) {
        errors.push({
          reason: 'FieldValueDuplicate',
          field: at,
          message: `Duplicate value: ${JSON.stringify(jsonPath)}`,
        });
      }
      seen.add(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      errors.push(invalidField(at, jsonPath, `is an invalid path: ${reason}`));
    }
  });
  if (seen.size > SELECTABLE_LIMIT && !unchanged) {
    const message = `Too many: ${seen.size}: must have at most ${SELECTABLE_LIMIT} items`;
    errors.push({ reason: 'FieldValueTooMany', field: path, message });
  }
  return errors;
}
