import { isIP } from 'node:net';
import type { FieldError } from '../../status.ts';
import { invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, isEmpty, portNumber, portNumberOrName, required, subdomain } from './rules.ts';
import { selectorErrors } from './selector.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

/** Validates an Ingress (upstream: `ValidateIngressSpec`). */
export function ingressErrors({ object }: Change): FieldError[] {
  const spec = object['spec'];
  const rules = listAt(spec, 'rules');
  const backend = valueAt(spec, 'defaultBackend');
  if (rules.length === 0 && backend === undefined) {
    return [invalidField('spec', null, 'either `defaultBackend` or `rules` must be specified')];
  }
  return [
    ...(backend === undefined ? [] : backendErrors('spec.defaultBackend', backend)),
    ...rules.flatMap((rule, index) => ruleErrors(`spec.rules[${index}]`, rule)),
    ...subdomain(at(spec, 'spec', 'ingressClassName')),
  ];
}

function ruleErrors(field: string, rule: unknown): FieldError[] {
  const host = scalarText(valueAt(rule, 'host'));
  const errors: FieldError[] = [];
  if (host !== '' && isIP(host) !== 0) {
    errors.push(invalidField(`${field}.host`, host, 'must be a DNS name, not an IP address'));
  } else if (!host.startsWith('*.')) errors.push(...subdomain([`${field}.host`, host]));
  if (valueAt(rule, 'http') === undefined) return errors;
  const paths = listAt(rule, 'http.paths');
  if (paths.length === 0) errors.push(requiredField(`${field}.http.paths`, ''));
  for (const [index, path] of paths.entries()) errors.push(...pathErrors(`${field}.http.paths[${index}]`, path));
  return errors;
}

function pathErrors(field: string, path: unknown): FieldError[] {
  const type = valueAt(path, 'pathType');
  const text = scalarText(valueAt(path, 'path'));
  const backend = backendErrors(`${field}.backend`, valueAt(path, 'backend'));
  if (type === undefined) return [requiredField(`${field}.pathType`, 'pathType must be specified')];
  if (!PATH_TYPES.includes(scalarText(type))) {
    return [unsupportedField(`${field}.pathType`, type, PATH_TYPES), ...backend];
  }
  if (type === 'ImplementationSpecific') {
    const isRelative = text !== '' && !text.startsWith('/');
    return [...(isRelative ? [invalidField(`${field}.path`, text, 'must be an absolute path')] : []), ...backend];
  }
  if (!text.startsWith('/')) return [invalidField(`${field}.path`, text, 'must be an absolute path'), ...backend];
  const wrong = ['//', '/./', '/../', '%2f', '%2F'].filter((part) => text.includes(part));
  return [...wrong.map((part) => invalidField(`${field}.path`, text, `must not contain '${part}'`)), ...backend];
}

function backendErrors(field: string, backend: unknown): FieldError[] {
  const [service, resource] = [valueAt(backend, 'service'), valueAt(backend, 'resource')];
  if (service !== undefined && resource !== undefined) {
    return [invalidField(field, '', 'cannot set both resource and service backends')];
  }
  if (resource !== undefined) {
    return [
      ...required(at(resource, `${field}.resource`, 'kind')),
      ...required(at(resource, `${field}.resource`, 'name')),
    ];
  }
  if (service === undefined) return [invalidField(field, '', 'resource or service backend is required')];
  const errors = required(at(service, `${field}.service`, 'name'));
  const { name, number } = (valueAt(service, 'port') ?? {}) as Record<string, unknown>;
  const hasNumber = typeof number === 'number' && number !== 0;
  if (!isEmpty(name) && hasNumber)
    return [...errors, invalidField(field, '', 'cannot set both port name & port number')];
  if (!isEmpty(name)) return [...errors, ...portNumberOrName([`${field}.service.port.name`, name])];
  if (hasNumber) return [...errors, ...portNumber([`${field}.service.port.number`, number])];
  return [...errors, requiredField(field, 'port name or number is required')];
}

/** Validates a NetworkPolicy (upstream: `ValidateNetworkPolicySpec`). */
export function networkPolicyErrors({ object }: Change): FieldError[] {
  const spec = object['spec'];
  const rules = (['ingress', 'egress'] as const).flatMap((direction) =>
    listAt(spec, direction).flatMap((rule, index) => {
      const field = `spec.${direction}[${index}]`;
      const peers = direction === 'ingress' ? 'from' : 'to';
      return [
        ...listAt(rule, 'ports').flatMap((port, at_) =>
          portNumberOrName([`${field}.ports[${at_}].port`, valueAt(port, 'port')]),
        ),
        ...listAt(rule, peers).flatMap((peer, at_) => peerErrors(`${field}.${peers}[${at_}]`, peer)),
      ];
    }),
  );
  return [...selectorErrors(at(spec, 'spec', 'podSelector')), ...rules];
}

function peerErrors(field: string, peer: unknown): FieldError[] {
  const block = valueAt(peer, 'ipBlock');
  const selectors = ['podSelector', 'namespaceSelector'].map((name) => at(peer, field, name));
  const errors = selectors.flatMap(selectorErrors);
  const hasSelector = selectors.some(([, selector]) => selector !== undefined);
  if (block === undefined) return hasSelector ? errors : [requiredField(field, 'must specify a peer')];
  const cidr = scalarText(valueAt(block, 'cidr'));
  const [address = '', bits = ''] = cidr.split('/');
  const family = isIP(address);
  const isBlock = family !== 0 && /^\d{1,3}$/u.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  if (!isBlock) {
    const detail = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
    errors.push(invalidField(`${field}.ipBlock.cidr`, cidr, detail));
  }
  return errors;
}
