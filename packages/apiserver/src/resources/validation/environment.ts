import type { FieldError } from '../../status.ts';
import { invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { dataKeyDetails } from '../data-keys.ts';
import { dnsLabelErrors, qualifiedNameErrors, subdomainErrors } from '../names.ts';
import { parseQuantity } from '../quantity.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, isEmpty, required, requiredText, text } from './rules.ts';

const NAME = /^[ -<>-~]+$/u;
const RULE = "a valid environment variable name must consist only of printable ASCII characters other than '='";

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

/** Fields of a Pod that references can name, and those with a key. */
const POD_FIELDS =
  /^(?:metadata\.(?:name|namespace|uid|labels|annotations)|spec\.(?:nodeName|serviceAccountName|host)|status\.(?:hostIP|hostIPs|podIP|podIPs|phase)|spec\.(?:restartPolicy|schedulerName))$/u;
const WITH_KEY = /^(?<path>[^[]*)\['(?<key>.*)'\]$/u;

/** Fields of a Pod that environment variables can have the value of. */
const ENVIRONMENT_FIELDS = [
  ...['metadata.name', 'metadata.namespace', 'metadata.uid', 'spec.nodeName', 'spec.serviceAccountName'],
  ...['status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs'],
];

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
    case 'fieldRef':
      return fieldReferenceErrors(field, reference, ENVIRONMENT_FIELDS);
    case 'resourceFieldRef':
      return resourceReferenceErrors(field, reference, { needsContainer: false });
    case 'configMapKeyRef':
    case 'secretKeyRef':
      return [
        ...text(at(reference, field, 'name'), subdomainErrors),
        ...requiredText(at(reference, field, 'key'), dataKeyDetails),
      ];
    default:
      return fileReferenceErrors(field, reference);
  }
}

/** Validates a reference to a key in a file (upstream: `validateFileKeySelector`). */
function fileReferenceErrors(field: string, reference: unknown): FieldError[] {
  const path = at(reference, field, 'path');
  return [
    ...nameErrors(...at(reference, field, 'key')),
    ...requiredText(at(reference, field, 'volumeName'), dnsLabelErrors),
    ...required(path),
    ...(scalarText(path[1]).split('/').includes('..') ? [invalidField(...path, "must not contain '..'")] : []),
  ];
}

/** Validates a reference to a field of the Pod (upstream: `validateObjectFieldSelector`). */
export function fieldReferenceErrors(field: string, reference: unknown, allowed: readonly string[]): FieldError[] {
  const version = scalarText(valueAt(reference, 'apiVersion'));
  const place = `${field}.fieldPath`;
  const path = scalarText(valueAt(reference, 'fieldPath'));
  if (version === '') return [requiredField(`${field}.apiVersion`, '')];
  if (path === '') return [requiredField(place, '')];
  const { path: base = path, key } = WITH_KEY.exec(path)?.groups ?? {};
  const isKnown = key === undefined ? POD_FIELDS.test(path) : /^metadata\.(?:annotations|labels)$/u.test(base);
  if (version !== 'v1') {
    return [invalidField(place, path, `error converting fieldPath: unsupported pod version: ${version}`)];
  }
  if (!isKnown) return [invalidField(place, path, `error converting fieldPath: field label not supported: ${path}`)];
  if (key !== undefined) {
    return text([field, base === 'metadata.annotations' ? key.toLowerCase() : key], qualifiedNameErrors);
  }
  return allowed.includes(path) ? [] : [unsupportedField(place, path, allowed.toSorted())];
}

const RESOURCES = ['cpu', 'ephemeral-storage', 'memory'];
const AMOUNTS = ['limits', 'requests'].flatMap((part) => RESOURCES.map((name) => `${part}.${name}`));
const UNITS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** Validates a reference to a resource of a container (upstream: `validateContainerResourceFieldSelector`). */
export function resourceReferenceErrors(
  field: string,
  reference: unknown,
  { needsContainer }: { readonly needsContainer: boolean },
): FieldError[] {
  const name = scalarText(valueAt(reference, 'resource'));
  const isHuge = /^(?:limits|requests)\.hugepages-/u.test(name);
  const errors: FieldError[] = [];
  if (needsContainer && isEmpty(valueAt(reference, 'containerName'))) {
    errors.push(requiredField(`${field}.containerName`, ''));
  } else if (name === '') errors.push(requiredField(`${field}.resource`, ''));
  else if (!AMOUNTS.includes(name) && !isHuge) errors.push(unsupportedField(`${field}.resource`, name, AMOUNTS));
  const divisor = scalarText(valueAt(reference, 'divisor'));
  const resource = isHuge ? 'hugepages' : name.slice(name.indexOf('.') + 1);
  const units = resource === 'cpu' ? ['1m', '1'] : UNITS;
  const isLimited = isHuge || AMOUNTS.includes(name);
  if (!isLimited || (parseQuantity(divisor)?.nano ?? 0n) === 0n || units.includes(divisor)) return errors;
  const shown = resource === 'ephemeral-storage' ? 'local ephemeral storage' : resource;
  const list = resource === 'cpu' ? '1m and 1' : units.join(', ');
  const detail = `only divisor's values ${list} are supported with the ${shown} resource`;
  return [...errors, invalidField(`${field}.divisor`, name, detail)];
}

function groupErrors(all: string, field: string, group: unknown): FieldError[] {
  const prefix = valueAt(group, 'prefix');
  const present = ['configMapRef', 'secretRef'].filter((name) => valueAt(group, name) !== undefined);
  const errors = isEmpty(prefix) ? [] : nameErrors(`${field}.prefix`, prefix);
  errors.push(
    ...present.flatMap((name) => requiredText(at(valueAt(group, name), `${field}.${name}`, 'name'), subdomainErrors)),
  );
  if (present.length === 0) errors.push(invalidField(all, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (present.length > 1) {
    errors.push(invalidField(all, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}
