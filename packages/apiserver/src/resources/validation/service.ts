import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { dnsLabelErrors, qualifiedNameErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { endpointAddressErrors, legacyAddressErrors, legacyBlockErrors } from './ip-address.ts';
import {
  at,
  between,
  isEmpty,
  labels,
  oneOf,
  portNumber,
  portNumberOrName,
  PROTOCOLS,
  required,
  subdomain,
  supported,
  textIfSet,
} from './rules.ts';
import { addressChangeErrors, clusterAddressErrors, isHeadless } from './service-addresses.ts';
import { loadBalancerStatusErrors } from './load-balancer-status.ts';

const RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";

const of = (spec: unknown, field: string): readonly [string, unknown] => at(spec, 'spec', field);
const typeOf = (spec: unknown): string => scalarText(valueAt(spec, 'type'));

/** Validates a Service (upstream: `ValidateServiceCreate`, `ValidateServiceUpdate`, `ValidateServiceStatusUpdate`). */
export function serviceErrors({ object, previous, subresource }: Change): FieldError[] {
  const spec = object['spec'];
  const before = previous?.['spec'];
  if (subresource === 'status') return loadBalancerStatusErrors(object, previous, typeOf(spec));
  return [
    ...(previous ? changeErrors(spec, before) : []),
    ...specErrors({ spec, before, annotations: object.metadata.annotations, earlier: previous?.metadata.annotations }),
  ];
}

function changeErrors(spec: unknown, before: unknown): FieldError[] {
  const [port, earlier] = [spec, before].map((each) => valueAt(each, 'healthCheckNodePort') ?? 0);
  const classes = [spec, before].map((each) => valueAt(each, 'loadBalancerClass') ?? null);
  const areBalancers = [spec, before].every((each) => typeOf(each) === 'LoadBalancer');
  const isClassChanged = areBalancers && classes[0] !== classes[1];
  return [
    ...addressChangeErrors(spec, before),
    ...(isClassChanged ? [invalidField('spec.loadBalancerClass', classes[0], 'may not change once set')] : []),
    ...classErrors(spec),
    ...(needsHealthCheck(spec) && needsHealthCheck(before) && port !== earlier
      ? [forbiddenField('spec.healthCheckNodePort', 'field is immutable')]
      : []),
  ];
}

/** Reports whether a node port for health checks belongs to a Service. */
export function needsHealthCheck(spec: unknown): boolean {
  return typeOf(spec) === 'LoadBalancer' && valueAt(spec, 'externalTrafficPolicy') === 'Local';
}

/** Reports whether a Service can be reached from outside of the cluster. */
export function isExternallyAccessible(spec: unknown): boolean {
  const type = typeOf(spec);
  return (
    ['LoadBalancer', 'NodePort'].includes(type) || (type === 'ClusterIP' && listAt(spec, 'externalIPs').length > 0)
  );
}

interface Specs {
  readonly spec: unknown;
  readonly before: unknown;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly earlier: Readonly<Record<string, string>> | undefined;
}

function specErrors(specs: Specs): FieldError[] {
  const { spec, before, annotations } = specs;
  const type = typeOf(spec);
  const ports = listAt(spec, 'ports');
  const needsPorts = type !== 'ExternalName' && !isHeadless(spec) && ports.length === 0;
  return [
    ...topologyErrors(annotations),
    ...(needsPorts ? [requiredField('spec.ports', '')] : []),
    ...typeErrors(spec, type),
    ...portsErrors(ports),
    ...labels(of(spec, 'selector')),
    ...oneOf(of(spec, 'sessionAffinity'), ['ClientIP', 'None']),
    ...affinityErrors(spec),
    ...clusterAddressErrors(spec, before),
    ...externalAddressErrors(spec, before),
    ...oneOf(of(spec, 'type'), ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']),
    ...nodePortErrors(type, ports),
    ...samePortErrors(ports),
    ...sourceRangeErrors(specs),
    ...(type !== 'LoadBalancer' && valueAt(spec, 'allocateLoadBalancerNodePorts') !== undefined
      ? [forbiddenField('spec.allocateLoadBalancerNodePorts', BALANCER_ONLY)]
      : []),
    ...classErrors(spec),
    ...externalTrafficErrors(spec),
    ...supported(of(spec, 'internalTrafficPolicy'), ['Cluster', 'Local']),
    ...supported(of(spec, 'trafficDistribution'), ['PreferClose', 'PreferSameZone', 'PreferSameNode']),
  ];
}

function topologyErrors(annotations: Readonly<Record<string, string>> = {}): FieldError[] {
  const [hints, mode] = ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode'] as const;
  const [first, second] = [annotations[hints], annotations[mode]];
  if (first === undefined || second === undefined || first === second) return [];
  const detail = `must match annotations[${hints}] when both are specified`;
  return [invalidField(`metadata.annotations[${mode}]`, second, detail)];
}

function typeErrors(spec: unknown, type: string): FieldError[] {
  if (['LoadBalancer', 'NodePort'].includes(type)) {
    const detail = `may not be set to 'None' for ${type} services`;
    return isHeadless(spec) ? [invalidField('spec.clusterIPs[0]', 'None', detail)] : [];
  }
  if (type !== 'ExternalName') return [];
  const isSet: Readonly<Record<string, boolean>> = {
    clusterIPs: listAt(spec, 'clusterIPs').length > 0,
    ipFamilies: listAt(spec, 'ipFamilies').length > 0,
    ipFamilyPolicy: valueAt(spec, 'ipFamilyPolicy') !== undefined,
  };
  const forbidden = Object.keys(isSet).filter((field) => isSet[field]);
  // The name of a host may end with a dot.
  const name = scalarText(valueAt(spec, 'externalName')).replace(/\.$/u, '');
  return [
    ...forbidden.map((field) => forbiddenField(`spec.${field}`, 'may not be set for ExternalName services')),
    ...(name === '' ? [requiredField('spec.externalName', '')] : subdomain(['spec.externalName', name])),
  ];
}

function portsErrors(ports: readonly unknown[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const errors = portErrors(port, index, { names, areNamed: ports.length > 1 });
    names.add(scalarText(valueAt(port, 'name')));
    return errors;
  });
}

interface Siblings {
  /** Names of the ports before. */
  readonly names: ReadonlySet<string>;
  readonly areNamed: boolean;
}

function portErrors(port: unknown, index: number, { names, areNamed }: Siblings): FieldError[] {
  const field = `spec.ports[${index}]`;
  const place = (name: string): readonly [string, unknown] => at(port, field, name);
  const name = scalarText(valueAt(port, 'name'));
  const errors = areNamed ? required(place('name')) : [];
  if (name !== '') {
    errors.push(...dnsLabelErrors(name).map((detail) => invalidField(`${field}.name`, name, detail)));
    if (names.has(name)) errors.push(duplicateField(`${field}.name`, name));
  }
  return [
    ...errors,
    ...between([`${field}.port`, valueAt(port, 'port') ?? 0], 1, 65_535),
    ...oneOf(place('protocol'), PROTOCOLS),
    ...portNumberOrName([`${field}.targetPort`, valueAt(port, 'targetPort') ?? 0]),
    ...textIfSet(place('appProtocol'), qualifiedNameErrors),
  ];
}

function affinityErrors(spec: unknown): FieldError[] {
  const [field, config] = of(spec, 'sessionAffinityConfig');
  const affinity = valueAt(spec, 'sessionAffinity');
  if (affinity === 'None' && config !== undefined) {
    return [forbiddenField(field, 'must not be set when session affinity is None')];
  }
  if (affinity !== 'ClientIP') return [];
  const seconds = valueAt(config, 'clientIP.timeoutSeconds');
  if (typeof seconds !== 'number' || (seconds > 0 && seconds <= 86_400)) return [];
  return [invalidField(`${field}.clientIP.timeoutSeconds`, seconds, 'must be greater than 0 and less than 86400')];
}

function externalAddressErrors(spec: unknown, before: unknown): FieldError[] {
  return listAt(spec, 'externalIPs').flatMap((address, index) => {
    const [field, text] = [`spec.externalIPs[${index}]`, scalarText(address)];
    const errors = legacyAddressErrors(field, text, listAt(before, 'externalIPs'));
    return errors.length > 0 ? errors : endpointAddressErrors(field, text);
  });
}

function nodePortErrors(type: string, ports: readonly unknown[]): FieldError[] {
  const nodePorts = ports.map((port) => Number(valueAt(port, 'nodePort') ?? 0));
  const isRepeated = repetitions(
    ports.map((port, index) => `${scalarText(valueAt(port, 'protocol'))}/${nodePorts[index]}`),
  );
  const field = (index: number): string => `spec.ports[${index}].nodePort`;
  const set = [...nodePorts.keys()].filter((index) => nodePorts[index] !== 0);
  return [
    ...(type === 'ClusterIP' ? set : []).map((index) =>
      forbiddenField(field(index), "may not be used when `type` is 'ClusterIP'"),
    ),
    ...set.filter((index) => isRepeated[index] === true).map((index) => duplicateField(field(index), nodePorts[index])),
  ];
}

/** Reports for each key whether it was there before. */
function repetitions(keys: readonly string[]): boolean[] {
  const seen = new Set<string>();
  return keys.map((key) => {
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated;
  });
}

function samePortErrors(ports: readonly unknown[]): FieldError[] {
  const isRepeated = repetitions(
    ports.map((port) => `${scalarText(valueAt(port, 'protocol'))}/${scalarText(valueAt(port, 'port'))}`),
  );
  return ports.flatMap((port, index) => {
    if (isRepeated[index] !== true) return [];
    const [protocol, number] = ['protocol', 'port'].map((name) => valueAt(port, name));
    const internal = { Name: '', Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 };
    return [duplicateField(`spec.ports[${index}]`, internal)];
  });
}

function sourceRangeErrors({ spec, before, annotations = {}, earlier = {} }: Specs): FieldError[] {
  const isBalancer = typeOf(spec) === 'LoadBalancer';
  const ranges = listAt(spec, 'loadBalancerSourceRanges').map((range) => scalarText(range).trim());
  if (ranges.length > 0) {
    // Upstream writes the name with an upper case letter.
    const field = 'spec.LoadBalancerSourceRanges';
    const valid = listAt(before, 'loadBalancerSourceRanges').map((range) => scalarText(range).trim());
    return [
      ...(isBalancer ? [] : [forbiddenField(field, BALANCER_ONLY)]),
      ...ranges.flatMap((range, index) => legacyBlockErrors(`${field}[${index}]`, range, valid)),
    ];
  }
  const text = annotations[RANGES_ANNOTATION];
  if (text === undefined) return [];
  const field = `metadata.annotations[${RANGES_ANNOTATION}]`;
  const errors = isBalancer ? [] : [forbiddenField(field, BALANCER_ONLY)];
  if (text.trim() === '' || text === earlier[RANGES_ANNOTATION]) return errors;
  return [...errors, ...text.split(',').flatMap((range) => legacyBlockErrors(field, range.trim()))];
}

function classErrors(spec: unknown): FieldError[] {
  const [field, name] = of(spec, 'loadBalancerClass');
  if (name !== undefined && typeOf(spec) !== 'LoadBalancer') return [forbiddenField(field, BALANCER_ONLY)];
  return textIfSet([field, name], qualifiedNameErrors);
}

function externalTrafficErrors(spec: unknown): FieldError[] {
  const policy = of(spec, 'externalTrafficPolicy');
  const port = of(spec, 'healthCheckNodePort');
  const isSet = !isEmpty(policy[1]);
  const outside = 'may only be set for externally-accessible services';
  const errors = isExternallyAccessible(spec)
    ? oneOf(policy, ['Cluster', 'Local'])
    : isSet
      ? [invalidField(policy[0], policy[1], outside)]
      : [];
  if (needsHealthCheck(spec)) return [...errors, ...portNumber(port)];
  if (!port[1]) return errors;
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [...errors, invalidField(port[0], port[1], detail)];
}
