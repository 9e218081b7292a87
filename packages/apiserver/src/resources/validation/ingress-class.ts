import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField } from '../../status.ts';
import { dnsLabelErrors, subdomainErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { objectReferenceErrors } from './ingress.ts';
import { IMMUTABLE, supported, text } from './rules.ts';

const LONGEST_CONTROLLER = 250;

/** Validates an IngressClass (upstream: `ValidateIngressClass` and its update). */
export function ingressClassErrors({ object, previous }: Change): FieldError[] {
  const controller = scalarText(valueAt(object, 'spec.controller'));
  const field = 'spec.controller';
  const isChanged = previous !== undefined && scalarText(valueAt(previous, field)) !== controller;
  return [
    ...(isChanged ? [invalidField(field, controller, IMMUTABLE)] : []),
    ...(controller.length > LONGEST_CONTROLLER
      ? [{ reason: 'FieldValueTooLong', field, message: 'Too long: may not be more than 250 bytes' } as const]
      : []),
    ...prefixedPathErrors(field, controller),
    ...parametersErrors('spec.parameters', valueAt(object, 'spec.parameters')),
  ];
}

const PATH_FORMAT = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Validates a path that begins with a domain (upstream: `IsDomainPrefixedPath`). */
export function prefixedPathErrors(field: string, value: string): FieldError[] {
  if (value === '') return [requiredField(field, '')];
  const slash = value.indexOf('/');
  const [host, path] = [value.slice(0, slash), value.slice(slash + 1)];
  if (slash < 1 || path === '') {
    return [invalidField(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const isPath = new RegExp(`^${PATH_FORMAT}$`, 'u').test(path);
  return [
    ...text([field, host], subdomainErrors),
    ...(isPath ? [] : [invalidField(field, path, `Invalid path (regex used for validation is '${PATH_FORMAT}')`)]),
  ];
}

function parametersErrors(field: string, parameters: unknown): FieldError[] {
  if (parameters === undefined) return [];
  const errors = objectReferenceErrors(field, parameters);
  const [scope, namespace] = [valueAt(parameters, 'scope'), valueAt(parameters, 'namespace')];
  if (scope === 'Cluster' && namespace !== undefined) {
    errors.push(forbiddenField(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  } else if (scope === 'Namespace') {
    errors.push(
      ...(namespace === undefined
        ? [requiredField(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'")]
        : text([`${field}.namespace`, namespace], dnsLabelErrors)),
    );
  } else errors.push(...supported([`${field}.scope`, scope], ['Cluster', 'Namespace']));
  return errors;
}
