import type { FieldError } from '../../status.ts';
import { invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { dns1035LabelErrors, pathSegmentErrors, subdomainErrors, wildcardErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { legacyAddressErrors, parseAddress } from './ip-address.ts';
import { hostErrors } from './load-balancer-status.ts';
import { at, isEmpty, portName, portNumber, requiredText, subdomain, text, textIfSet } from './rules.ts';

/** Rules and messages follow `pkg/apis/networking/validation`. */

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** Validates an Ingress (upstream: `ValidateIngressCreate`, `ValidateIngressUpdate`, `ValidateIngressStatusUpdate`). */
export function ingressErrors({ object, previous, subresource }: Change): FieldError[] {
  if (subresource === 'status') return statusErrors(object, previous);
  const spec = object['spec'];
  const rules = listAt(spec, 'rules');
  const backend = valueAt(spec, 'defaultBackend');
  const name = valueAt(spec, 'ingressClassName');
  const isEmptySpec = rules.length === 0 && backend === undefined;
  return [
    ...(isEmptySpec ? [invalidField('spec', null, 'either `defaultBackend` or `rules` must be specified')] : []),
    ...(backend === undefined ? [] : backendErrors('spec.defaultBackend', backend)),
    ...rules.flatMap((rule, index) => ruleErrors(`spec.rules[${index}]`, rule)),
    ...listAt(spec, 'tls').flatMap((tls, index) => tlsErrors(`spec.tls[${index}]`, tls)),
    ...textIfSet(['spec.ingressClassName', name], subdomainErrors),
    ...(previous || name === undefined ? [] : classErrors(object.metadata.annotations?.[CLASS_ANNOTATION], name)),
  ];
}

function classErrors(annotation: string | undefined, name: unknown): FieldError[] {
  if (annotation === undefined || annotation === name) return [];
  const detail = 'must match `ingressClassName` when both are specified';
  return [invalidField(`annotations.${CLASS_ANNOTATION}`, annotation, detail)];
}

function statusErrors(object: unknown, previous: unknown): FieldError[] {
  const path = 'status.loadBalancer.ingress';
  const before = listAt(previous, path).map((each) => valueAt(each, 'ip'));
  return listAt(object, path).flatMap((each, index) => {
    const [address, host] = ['ip', 'hostname'].map((field) => scalarText(valueAt(each, field)));
    const field = `${path}[${index}]`;
    return [
      ...(address ? legacyAddressErrors(`${field}.ip`, address, before) : []),
      ...hostErrors(`${field}.hostname`, host ?? ''),
    ];
  });
}

function hostNameErrors(field: string, host: string): FieldError[] {
  return text([field, host], host.includes('*') ? wildcardErrors : subdomainErrors);
}

function tlsErrors(field: string, tls: unknown): FieldError[] {
  return [
    ...listAt(tls, 'hosts').flatMap((host, index) => hostNameErrors(`${field}.hosts[${index}]`, scalarText(host))),
    ...subdomain(at(tls, field, 'secretName')),
  ];
}

function ruleErrors(field: string, rule: unknown): FieldError[] {
  const host = scalarText(valueAt(rule, 'host'));
  const errors: FieldError[] = [];
  if (parseAddress(host)) errors.push(invalidField(`${field}.host`, host, 'must be a DNS name, not an IP address'));
  if (host !== '') errors.push(...hostNameErrors(`${field}.host`, host));
  if (valueAt(rule, 'http') === undefined) return errors;
  const paths = listAt(rule, 'http.paths');
  if (paths.length === 0) errors.push(requiredField(`${field}.http.paths`, ''));
  return [...errors, ...paths.flatMap((path, index) => pathErrors(`${field}.http.paths[${index}]`, path))];
}

function pathErrors(field: string, path: unknown): FieldError[] {
  const type = valueAt(path, 'pathType');
  const sent = scalarText(valueAt(path, 'path'));
  if (type === undefined) return [requiredField(`${field}.pathType`, 'pathType must be specified')];
  const backend = backendErrors(`${field}.backend`, valueAt(path, 'backend'));
  if (!PATH_TYPES.includes(scalarText(type))) {
    return [unsupportedField(`${field}.pathType`, type, PATH_TYPES), ...backend];
  }
  const isAny = type === 'ImplementationSpecific';
  const isRelative = !sent.startsWith('/') && !(isAny && sent === '');
  const parts = isAny ? [] : ['//', '/./', '/../', '%2f', '%2F'].filter((part) => sent.includes(part));
  const ends = isAny ? [] : ['/..', '/.'].filter((end) => sent.endsWith(end));
  const details = [
    ...(isRelative ? ['must be an absolute path'] : []),
    ...parts.map((part) => `must not contain '${part}'`),
    ...ends.map((end) => `cannot end with '${end}'`),
  ];
  return [...details.map((detail) => invalidField(`${field}.path`, sent, detail)), ...backend];
}

function backendErrors(field: string, backend: unknown): FieldError[] {
  const [service, resource] = [valueAt(backend, 'service'), valueAt(backend, 'resource')];
  if (service !== undefined && resource !== undefined) {
    return [invalidField(field, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) return objectReferenceErrors(`${field}.resource`, resource);
  if (service === undefined) return [invalidField(field, '', 'resource or service backend is required')];
  const errors = requiredText(at(service, `${field}.service`, 'name'), dns1035LabelErrors);
  const { name, number } = (valueAt(service, 'port') ?? {}) as Record<string, unknown>;
  const hasNumber = typeof number === 'number' && number !== 0;
  if (!isEmpty(name) && hasNumber)
    return [...errors, invalidField(field, '', 'cannot set both port name & port number')];
  if (!isEmpty(name)) return [...errors, ...portName([`${field}.service.port.name`, name])];
  if (hasNumber) return [...errors, ...portNumber([`${field}.service.port.number`, number])];
  return [...errors, requiredField(field, 'port name or number is required')];
}

/** Validates a reference to an object of any kind. */
export function objectReferenceErrors(field: string, reference: unknown): FieldError[] {
  return [
    ...textIfSet(at(reference, field, 'apiGroup'), subdomainErrors),
    ...requiredText(at(reference, field, 'kind'), pathSegmentErrors),
    ...requiredText(at(reference, field, 'name'), pathSegmentErrors),
  ];
}
