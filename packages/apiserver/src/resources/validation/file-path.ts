import type { FieldError } from '../../status.ts';
import { invalidField } from '../../status.ts';
import { scalarText } from '../resource-type.ts';
import { at, required } from './rules.ts';

const LARGEST_MODE = 0o777;

/** Validates the mode of a file, if it is there. */
export function modeErrors([field, mode]: readonly [string, unknown]): FieldError[] {
  if (typeof mode !== 'number' || (mode >= 0 && mode <= LARGEST_MODE)) return [];
  return [invalidField(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

/** A path must not have a step `..`. */
export function noBackstepErrors([field, path]: readonly [string, unknown]): FieldError[] {
  return scalarText(path).split('/').includes('..') ? [invalidField(field, path, "must not contain '..'")] : [];
}

/**
 * Validates a path in a volume (upstream: `ValidateLocalNonReservedPath`).
 *
 * @param options.isReservedAllowed whether the path may begin with `..`, if that is not a step.
 */
export function localPathErrors(
  [field, path]: readonly [string, unknown],
  { isReservedAllowed = false }: { readonly isReservedAllowed?: boolean } = {},
): FieldError[] {
  const text = scalarText(path);
  const isReserved = !isReservedAllowed && text.startsWith('..') && !text.startsWith('../');
  return [
    ...(text.startsWith('/') ? [invalidField(field, text, 'must be a relative path')] : []),
    ...noBackstepErrors([field, text]),
    ...(isReserved ? [invalidField(field, text, "must not start with '..'")] : []),
  ];
}

/** Validates the path of one key of a ConfigMap or Secret. */
export function keyToPathErrors(field: string, item: unknown): FieldError[] {
  return [
    ...required(at(item, field, 'key')),
    ...required(at(item, field, 'path')),
    ...localPathErrors(at(item, field, 'path')),
    ...modeErrors(at(item, field, 'mode')),
  ];
}
