import { plainText } from '../apply/go-format.ts';
import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { Change, ScalePaths } from './resource-type.ts';

const MAX_INT32 = 2 ** 31 - 1;

/**
 * Returns the errors in the fields of a custom object that its scale subresource shows. (Upstream: `ValidateScaleSpec` and
 * `ValidateScaleStatus` of apiextensions-apiserver.) An update of the status does not validate the spec.
 */
export function scaleErrors(paths: ScalePaths | undefined, { object, subresource }: Change): FieldError[] {
  if (!paths) return [];
  return [
    ...(subresource === 'status' ? [] : replicasErrors(paths.spec, valueOf(object, paths.spec))),
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

/**
 * Returns why the scale of a custom object cannot be read. (Upstream: `scaleFromCustomResource` of
 * apiextensions-apiserver.)
 */
export function scaleFault({ spec, status, selector }: ScalePaths, object: unknown): string | undefined {
  return (
    replicasFault(spec, valueOf(object, spec)) ??
    replicasFault(status, valueOf(object, status)) ??
    (selector === undefined ? undefined : selectorFault(selector, valueOf(object, selector)))
  );
}

function replicasFault(path: string, { value, error }: Found): string | undefined {
  if (error !== undefined || value === undefined) return error;
  return typeText(value) === 'int64' ? undefined : accessorError(path, value, 'int64');
}

function replicasErrors(path: string, found: Found): FieldError[] {
  const invalid = (shown: number, detail: string): FieldError[] => [invalidField(`.${path}`, shown, detail)];
  const fault = replicasFault(path, found);
  if (fault !== undefined) return invalid(0, fault);
  const { value } = found;
  if (typeof value !== 'number') return [];
  if (value < 0) return invalid(value, 'should be a non-negative integer');
  return value > MAX_INT32 ? invalid(value, `should be less than or equal to ${MAX_INT32}`) : [];
}

function selectorFault(path: string, { value, error }: Found): string | undefined {
  if (error !== undefined || value === undefined || typeof value === 'string') return error;
  return accessorError(path, value, 'string');
}

function selectorErrors(path: string, found: Found): FieldError[] {
  const why = selectorFault(path, found);
  return why === undefined ? [] : [invalidField(`.${path}`, '', why)];
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
