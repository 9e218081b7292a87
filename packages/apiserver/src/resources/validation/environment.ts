import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, isEmpty, required } from './rules.ts';

const NAME = /^[ -<>-~]+$/u;
const RULE = "a valid environment variable name must consist only of printable ASCII characters other than '='";

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

/** Fields of a Pod that environment variables can have the value of. */
const POD_FIELDS =
  /^(?:metadata\.(?:name|namespace|uid|labels|annotations)|metadata\.(?:labels|annotations)\['[^']+'\]|spec\.(?:nodeName|serviceAccountName)|status\.(?:hostIP|hostIPs|podIP|podIPs))$/u;

/** Validates the environment variables of a container (upstream: `ValidateEnv` and `ValidateEnvFrom`). */
export function environmentErrors(path: string, container: unknown): FieldError[] {
  const single = listAt(container, 'env').flatMap((variable, index) => {
    const field = `${path}.env[${index}]`;
    return [...nameErrors(...at(variable, field, 'name')), ...sourceErrors(field, variable)];
  });
  const groups = listAt(container, 'envFrom').flatMap((group, index) =>
    groupErrors(`${path}.envFrom`, `${path}.envFrom[${index}]`, group),
  );
  return [...single, ...groups];
}

function nameErrors(field: string, name: unknown): FieldError[] {
  if (isEmpty(name)) return [requiredField(field, '')];
  return NAME.test(scalarText(name)) ? [] : [invalidField(field, name, RULE)];
}

function sourceErrors(path: string, variable: unknown): FieldError[] {
  const source = valueAt(variable, 'valueFrom');
  if (source === undefined) return [];
  const field = `${path}.valueFrom`;
  const present = SOURCES.filter((name) => valueAt(source, name) !== undefined);
  const errors = present.flatMap((name) => referenceErrors(name, `${field}.${name}`, valueAt(source, name)));
  if (present.length === 0) {
    const detail =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [invalidField(field, '', detail)];
  }
  if (!isEmpty(valueAt(variable, 'value'))) {
    errors.push(invalidField(field, '', 'may not be specified when `value` is not empty'));
  }
  if (present.length > 1) errors.push(invalidField(field, '', 'may not have more than one field specified at a time'));
  return errors;
}

function referenceErrors(name: string, field: string, reference: unknown): FieldError[] {
  switch (name) {
    case 'fieldRef': {
      const path = valueAt(reference, 'fieldPath');
      if (isEmpty(path)) return [requiredField(`${field}.fieldPath`, '')];
      if (POD_FIELDS.test(scalarText(path))) return [];
      const why = `error converting fieldPath: field label not supported: ${scalarText(path)}`;
      return [invalidField(`${field}.fieldPath`, path, why)];
    }
    case 'resourceFieldRef':
      return required(at(reference, field, 'resource'));
    case 'configMapKeyRef':
    case 'secretKeyRef':
      return required(at(reference, field, 'key'));
    default:
      return [];
  }
}

function groupErrors(all: string, field: string, group: unknown): FieldError[] {
  const prefix = valueAt(group, 'prefix');
  const present = ['configMapRef', 'secretRef'].filter((name) => valueAt(group, name) !== undefined);
  const errors = isEmpty(prefix) ? [] : nameErrors(`${field}.prefix`, prefix);
  errors.push(...present.flatMap((name) => required(at(valueAt(group, name), `${field}.${name}`, 'name'))));
  if (present.length === 0) errors.push(invalidField(all, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (present.length > 1) {
    errors.push(invalidField(all, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}
