import { specOf } from '../definitions/definition.ts';
import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';

/** A definition has the name of its resource. */
export function definitionNameErrors(definition: ApiObject): FieldError[] {
  const { names, group = '' } = specOf(definition);
  const { name } = definition.metadata;
  // An absent name is an error of the metadata.
  if (name === '' || name === `${names?.plural ?? ''}.${group}`) return [];
  return [invalidField('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}
