import type { FieldError } from '../../status.ts';
import { invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, isEmpty, oneOf, supported } from './rules.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** Validates a rule that selects operations and resources. */
export function operationRuleErrors(rule: unknown, path: string): FieldError[] {
  const operations = textsAt(rule, 'operations');
  const groups = textsAt(rule, 'apiGroups');
  const versions = textsAt(rule, 'apiVersions');
  return [
    ...(operations.length === 0 ? [requiredField(`${path}.operations`, '')] : []),
    ...alone(operations, `${path}.operations`, 'operations'),
    ...operations.flatMap((operation, index) =>
      OPERATIONS.includes(operation) ? [] : [unsupportedField(`${path}.operations[${index}]`, operation, OPERATIONS)],
    ),
    ...(groups.length === 0 ? [requiredField(`${path}.apiGroups`, '')] : []),
    ...alone(groups, `${path}.apiGroups`, 'API groups'),
    ...(versions.length === 0 ? [requiredField(`${path}.apiVersions`, '')] : []),
    ...alone(versions, `${path}.apiVersions`, 'API versions'),
    ...versions.flatMap((version, index) =>
      version === '' ? [requiredField(`${path}.apiVersions[${index}]`, '')] : [],
    ),
    ...resourceErrors(textsAt(rule, 'resources'), `${path}.resources`),
    ...supported(at(rule, path, 'scope'), SCOPES),
  ];
}

function textsAt(value: unknown, field: string): string[] {
  return listAt(value, field).map(scalarText);
}

function alone(values: readonly string[], path: string, noun: string): FieldError[] {
  if (values.length < 2 || !values.includes('*')) return [];
  return [invalidField(path, values, `if '*' is present, must not specify other ${noun}`)];
}

function resourceErrors(resources: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = resources.length === 0 ? [requiredField(path, '')] : [];
  const whole = new Set<string>();
  const everywhere = new Set<string>();
  // Upstream looks only at the last resource without a subresource.
  const plain = resources.filter((text) => text !== '' && !text.includes('/')).at(-1) ?? '*';
  resources.forEach((text, index) => {
    if (text === '') {
      errors.push(requiredField(`${path}[${index}]`, ''));
      return;
    }
    const slash = text.indexOf('/');
    if (slash < 0) return;
    const [resource, sub] = [text.slice(0, slash), text.slice(slash + 1)];
    const refuse = (present: string): void => {
      errors.push(invalidField(`${path}[${index}]`, text, `if '${present}' is present, must not specify ${text}`));
    };
    if (whole.has(resource)) refuse(`${resource}/*`);
    if (everywhere.has(sub)) refuse(`*/${sub}`);
    if (sub === '*') whole.add(resource);
    if (resource === '*') everywhere.add(sub);
  });
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalidField(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && plain !== '*') {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidField(path, resources, detail));
  }
  return errors;
}

/** The field must have one of these values. */
export function requiredOneOf(place: readonly [string, unknown], supported: readonly string[]): FieldError[] {
  return isEmpty(place[1]) ? [requiredField(place[0], '')] : oneOf(place, supported);
}

/** Returns the texts that occur earlier in a list. */
export function isRepeated(list: readonly unknown[], index: number, field: string): boolean {
  const name = valueAt(list[index], field);
  return !isEmpty(name) && list.slice(0, index).some((earlier) => valueAt(earlier, field) === name);
}
