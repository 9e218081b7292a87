import type { ApiObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { addressWarnings, blockWarnings } from './ip-address.ts';

const texts = (object: ApiObject, path: string): string[] => listAt(object, path).map(scalarText);

/** Returns the warnings about a Service (upstream: `GetWarningsForService`). */
export function serviceWarnings(object: ApiObject): string[] {
  const { spec } = object;
  const of = (field: string): string => scalarText(valueAt(spec, field));
  const [type, address, balancer] = [of('type'), of('clusterIP'), of('loadBalancerIP')];
  const external = texts(object, 'spec.externalIPs');
  const hints = 'service.kubernetes.io/topology-aware-hints';
  const warnings: string[] = [];
  if (object.metadata.annotations?.[hints] !== undefined) {
    warnings.push(`annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  }
  if (address !== '' && address !== 'None') warnings.push(...inList(texts(object, 'spec.clusterIPs'), 'clusterIPs'));
  if (type === 'ClusterIP' && address === 'None') {
    if (balancer !== '') warnings.push('spec.loadBalancerIP is ignored for headless services');
    if (external.length > 0) warnings.push('spec.externalIPs is ignored for headless services');
    if (of('sessionAffinity') !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services');
  }
  warnings.push(...inList(external, 'externalIPs'), ...addressWarnings('spec.loadBalancerIP', balancer));
  for (const [index, range] of texts(object, 'spec.loadBalancerSourceRanges').entries()) {
    warnings.push(...blockWarnings(`spec.loadBalancerSourceRanges[${index}]`, range));
  }
  if (type === 'ExternalName' && external.length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (type !== 'ExternalName' && of('externalName') !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (of('trafficDistribution') === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}

function inList(addresses: readonly string[], field: string): string[] {
  return addresses.flatMap((address, index) => addressWarnings(`spec.${field}[${index}]`, address));
}
