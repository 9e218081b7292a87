import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { DefinitionNames } from './definition.ts';
import { specOf } from './definition.ts';
import { nameFieldErrors } from './spec-errors.ts';

interface DefinitionStatus {
  readonly acceptedNames?: DefinitionNames;
  readonly storedVersions?: readonly string[];
}

/** Returns the errors in the status of a definition. @param part the part that a write changes. */
export function statusErrors(definition: ApiObject, part: 'object' | 'status'): FieldError[] {
  const { acceptedNames = {}, storedVersions = [] } = (definition['status'] ?? {}) as DefinitionStatus;
  const names = nameFieldErrors(acceptedNames, 'status.acceptedNames');
  if (part === 'status') return names;
  return [...names, ...storedVersionErrors(storedVersions, definition)];
}

function firstOf(versions: readonly { readonly name?: string }[], wanted: string): number {
  return versions.findIndex(({ name = '' }) => name === wanted);
}

function storedVersionErrors(stored: readonly string[], definition: ApiObject): FieldError[] {
  const path = 'status.storedVersions';
  if (stored.length === 0) return [invalidField(path, null, 'must have at least one stored version')];
  const { versions = [] } = specOf(definition);
  // A version that appears twice is found once.
  const errors = versions
    .filter(({ name = '', storage }, index) => storage && !(stored.includes(name) && firstOf(versions, name) === index))
    .map(({ name = '' }) => invalidField(path, stored, `must have the storage version ${name}`));
  stored.forEach((version, index) => {
    if (versions.some(({ name = '' }) => name === version)) return;
    const detail = `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    errors.push(invalidField(`${path}[${index}]`, version, detail));
  });
  return errors;
}
