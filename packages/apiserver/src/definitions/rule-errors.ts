import type { FieldError } from '../status.ts';
import { forbiddenField } from '../status.ts';
import type { JsonSchema } from './json-schema.ts';
import { propertiesOf, itemsOf, additionalOf } from './json-schema.ts';

export function ruleErrors(schema: JsonSchema, path: string, options: { readonly unchanged: boolean }): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  return [
    ...rules.map((_, index) =>
      forbiddenField(`${path}.x-kubernetes-validations[${index}].rule`, 'rules are not supported by this server'),
    ),
    ...propertiesOf(schema).flatMap(([name, property]) => ruleErrors(property, `${path}.properties[${name}]`, options)),
    ...(items ? ruleErrors(items, `${path}.items`, options) : []),
    ...(additional ? ruleErrors(additional, `${path}.additionalProperties`, options) : []),
  ];
}

export function ruleErrorsOfDefault(): FieldError[] {
  return [];
}
