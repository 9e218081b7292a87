import { plainText } from '../apply/go-format.ts';
import type { Subresources } from '../definitions/definition.ts';
import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';

const INT32_MAX = 2 ** 31 - 1;

/**
 * Returns the errors in the fields of a custom object that its scale shows.
 * (Upstream: `ValidateScaleSpec` and `ValidateScaleStatus` of apiextensions-apiserver.)
 */
export function scaleErrors(scale: Subresources['scale'], object: object): FieldError[] {
  if (!scale) return [];
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath } = scale;
  return [
    ...replicasErrors(object, specReplicasPath),
    ...replicasErrors(object, statusReplicasPath),
    ...(labelSelectorPath ? selectorErrors(object, labelSelectorPath) : []),
  ];
}

function replicasErrors(object: object, path: string): FieldError[] {
  const { value, fault } = nested(object, path, 'int64');
  if (fault !== undefined) return [invalidField(path, 0, fault)];
  if (typeof value !== 'number') return [];
  if (value < 0) return [invalidField(path, value, 'should be a non-negative integer')];
  return value > INT32_MAX ? [invalidField(path, value, `should be less than or equal to ${INT32_MAX}`)] : [];
}

function selectorErrors(object: object, path: string): FieldError[] {
  const { fault } = nested(object, path, 'string');
  return fault === undefined ? [] : [invalidField(path, '', fault)];
}

/** Returns the value at a path, or why a real server cannot read it. */
function nested(object: object, path: string, wanted: 'int64' | 'string'): { value?: unknown; fault?: string } {
  const fields = path.replace(/^\./u, '').split('.');
  const refuse = (depth: number, value: unknown, type: string): { fault: string } => {
    const at = `.${fields.slice(0, depth).join('.')}`;
    return { fault: `${at} accessor error: ${plainText(value)} is of the type ${goType(value)}, expected ${type}` };
  };
  let value: unknown = object;
  for (const [index, field] of fields.entries()) {
    if (value === null) return {};
    if (typeof value !== 'object' || Array.isArray(value)) return refuse(index + 1, value, 'map[string]interface{}');
    if (!Object.hasOwn(value, field)) return {};
    value = (value as Readonly<Record<string, unknown>>)[field];
  }
  return goType(value) === wanted ? { value } : refuse(fields.length, value, wanted);
}

/** Returns the Go type of a decoded value of a custom object. */
function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'boolean':
      return 'bool';
    case 'object':
      return 'map[string]interface {}';
    default:
      return 'string';
  }
}
