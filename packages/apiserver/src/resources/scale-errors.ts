import { plainText } from '../apply/go-format.ts';
import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { Change, ScalePaths } from './resource-type.ts';

const MAX_INT32 = 2 ** 31 - 1;

/**
 * Returns the errors in the fields of a custom object that its scale subresource shows. (Upstream: `ValidateScaleSpec` and
 * `ValidateScaleStatus` of apiextensions-apiserver.) An update of the status does not validate the spec, so that replicas
 * that a write does not change are accepted.
 */
export function scaleErrors(paths: ScalePaths | undefined, { object, previous }: Change): FieldError[] {
  if (!paths) return [];
  const found = valueOf(object, paths.spec);
  const isKept = previous !== undefined && valueOf(previous, paths.spec).value === found.value;
  return [
    ...(isKept ? [] : replicasErrors(paths.spec, found)),
    ...replicasErrors(paths.status, valueOf(object, paths.status)),
    ...(paths.selector === undefined ? [] : selectorErrors(paths.selector, valueOf(object, paths.selector))),
  ];
}

interface Found {
  readonly value?: unknown;
  /** Why the path leads nowhere. */
  readonly error?: string;
}

/** Upstream: `unstructured.NestedFieldNoCopy`. */
function valueOf(object: unknown, path: string): Found {
  const steps = path.split('.');
  let value = object;
  for (const [index, step] of steps.entries()) {
    if (value === undefined || value === null) return {};
    if (typeof value !== 'object' || Array.isArray(value)) {
      return { error: accessorError(steps.slice(0, index + 1).join('.'), value, 'map[string]interface{}') };
    }
    value = (value as Record<string, unknown>)[step];
  }
  return { value };
}

function replicasErrors(path: string, { value, error }: Found): FieldError[] {
  const invalid = (shown: number, detail: string): FieldError[] => [invalidField(`.${path}`, shown, detail)];
  if (error !== undefined) return invalid(0, error);
  if (value === undefined) return [];
  if (typeof value !== 'number' || typeText(value) !== 'int64') return invalid(0, accessorError(path, value, 'int64'));
  if (value < 0) return invalid(value, 'should be a non-negative integer');
  return value > MAX_INT32 ? invalid(value, `should be less than or equal to ${MAX_INT32}`) : [];
}

function selectorErrors(path: string, { value, error }: Found): FieldError[] {
  const why = error ?? (value === undefined || typeof value === 'string' ? '' : accessorError(path, value, 'string'));
  return why === '' ? [] : [invalidField(`.${path}`, '', why)];
}

function accessorError(path: string, value: unknown, expected: string): string {
  return `.${path} accessor error: ${plainText(value)} is of the type ${typeText(value)}, expected ${expected}`;
}

/** Returns the Go type of a value of an unstructured object. */
function typeText(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'int64' : 'float64';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    default:
      return 'map[string]interface {}';
  }
}
