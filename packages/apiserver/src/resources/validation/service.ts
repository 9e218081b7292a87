import { isIP } from 'node:net';
import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField } from '../../status.ts';
import { listAt } from '../cells.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import {
  at,
  between,
  dns1035Errors,
  dnsLabel,
  isEmpty,
  labels,
  oneOf,
  portNumberOrName,
  required,
  subdomain,
} from './rules.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Validates a Service (upstream: `ValidateService` and its update). */
export function serviceErrors({ object, previous }: Change): FieldError[] {
  const { name } = object.metadata;
  const spec = object['spec'];
  const type = scalarText(valueAt(spec, 'type'));
  const of = (field: string): readonly [string, unknown] => [`spec.${field}`, valueAt(spec, field)];
  const ports = listAt(spec, 'ports');
  const isHeadless = valueAt(spec, 'clusterIP') === 'None';
  // Without a valid address, nothing says that the Service has ports.
  const hasAddress = listAt(spec, 'clusterIPs').every((address) => isIP(scalarText(address)) !== 0);
  const needsPorts = type !== 'ExternalName' && !isHeadless && hasAddress && ports.length === 0;
  return [
    ...dns1035Errors(name).map((detail) => invalidField('metadata.name', name, detail)),
    ...(needsPorts ? required(['spec.ports', undefined]) : []),
    ...ports.flatMap((port, index) => portErrors(port, index, ports)),
    ...labels(of('selector')),
    ...oneOf(of('sessionAffinity'), ['ClientIP', 'None']),
    ...affinityErrors(spec),
    ...addressErrors(spec, previous?.['spec']),
    ...externalErrors(spec, type),
    ...oneOf(of('type'), ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']),
    ...typeErrors(spec, type, ports),
    ...oneOf(of('externalTrafficPolicy'), ['Cluster', 'Local']),
    ...oneOf(of('internalTrafficPolicy'), ['Cluster', 'Local']),
  ];
}

function portErrors(port: unknown, index: number, ports: readonly unknown[]): FieldError[] {
  const field = `spec.ports[${index}]`;
  const place = (name: string): readonly [string, unknown] => at(port, field, name);
  const name = valueAt(port, 'name');
  const before = ports.slice(0, index);
  const errors = ports.length > 1 ? required(place('name')) : [];
  errors.push(...dnsLabel(place('name')));
  if (!isEmpty(name) && before.some((each) => valueAt(each, 'name') === name)) {
    errors.push(duplicateField(`${field}.name`, name));
  }
  errors.push(...between([`${field}.port`, valueAt(port, 'port') ?? 0], 1, 65_535));
  errors.push(...oneOf(place('protocol'), PROTOCOLS));
  errors.push(...portNumberOrName([`${field}.targetPort`, valueAt(port, 'targetPort') ?? 0]));
  return errors;
}

function affinityErrors(spec: unknown): FieldError[] {
  const seconds = valueAt(spec, 'sessionAffinityConfig.clientIP.timeoutSeconds');
  const field = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  if (typeof seconds !== 'number' || (seconds > 0 && seconds <= 86_400)) return [];
  return [invalidField(field, seconds, 'must be greater than 0 and less than 86400')];
}

function addressErrors(spec: unknown, before: unknown): FieldError[] {
  const addresses = listAt(spec, 'clusterIPs').map(scalarText);
  const errors = addresses.flatMap((address, index) =>
    address === 'None' || isIP(address) !== 0 ? [] : [invalidField(`spec.clusterIPs[${index}]`, address, ADDRESS)],
  );
  const [first] = addresses;
  const own = scalarText(valueAt(spec, 'clusterIP'));
  const earlier = scalarText(listAt(before, 'clusterIPs')[0]);
  const isExternal = [spec, before].some((each) => valueAt(each, 'type') === 'ExternalName');
  if (before !== undefined && earlier !== '' && !isExternal && (own !== earlier || first !== earlier)) {
    return [invalidField('spec.clusterIPs[0]', [own], 'may not change once set')];
  }
  if (own !== '' && first !== undefined && own !== first) {
    errors.push(invalidField('spec.clusterIPs', addresses, 'first value must match `clusterIP`'));
  }
  return errors;
}

function externalErrors(spec: unknown, type: string): FieldError[] {
  if (type !== 'ExternalName') return [];
  const name = valueAt(spec, 'externalName');
  if (isEmpty(name)) return required(['spec.externalName', name]);
  return subdomain(['spec.externalName', scalarText(name).replace(/\.$/u, '')]);
}

function typeErrors(spec: unknown, type: string, ports: readonly unknown[]): FieldError[] {
  const errors: FieldError[] = [];
  if (type === 'ClusterIP') {
    for (const [index, port] of ports.entries()) {
      if (!valueAt(port, 'nodePort')) continue;
      errors.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    }
  }
  const keys = ports.map((port) => `${scalarText(valueAt(port, 'protocol'))}/${scalarText(valueAt(port, 'port'))}`);
  for (const [index, key] of keys.entries()) {
    if (keys.indexOf(key) === index) continue;
    const [protocol, port] = ['protocol', 'port'].map((name) => valueAt(ports[index], name));
    const internal = { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    errors.push(duplicateField(`spec.ports[${index}]`, internal));
  }
  const isHeadless = valueAt(spec, 'clusterIP') === 'None';
  if (isHeadless && (type === 'NodePort' || type === 'LoadBalancer')) {
    errors.push(invalidField('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`));
  }
  return errors;
}
