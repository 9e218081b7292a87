import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../storage/stored-object.ts';
import { items } from '../defaulting/table.ts';
import { isExternallyAccessible, needsHealthCheck } from '../validation/service.ts';

/**
 * Removes fields that the new type of a Service does not have, unless the update changes them too (upstream:
 * `dropTypeDependentFields`).
 */
export function dropUnusedFields(spec: JsonObject, before: JsonObject): void {
  const isSame = (...fields: readonly string[]): boolean =>
    fields.every((field) => isDeepStrictEqual(spec[field], before[field]));
  const lost = (has: (each: JsonObject) => boolean): boolean => has(before) && !has(spec);
  const drop = (...fields: readonly string[]): void => {
    if (isSame(...fields)) for (const field of fields) Reflect.deleteProperty(spec, field);
  };
  if (lost(({ type }) => type !== 'ExternalName')) {
    drop('clusterIP', 'clusterIPs');
    drop('ipFamilies');
    drop('ipFamilyPolicy');
  }
  if (lost(({ type }) => type === 'NodePort' || type === 'LoadBalancer')) dropNodePorts(spec, before);
  if (lost(needsHealthCheck)) drop('healthCheckNodePort');
  if (lost(({ type }) => type === 'LoadBalancer')) {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (lost(isExternallyAccessible)) drop('externalTrafficPolicy');
}

function dropNodePorts(spec: JsonObject, before: JsonObject): void {
  const earlier = new Set(items(before, 'ports').map((port) => port['nodePort']));
  const ports = items(spec, 'ports');
  if (ports.some((port) => port['nodePort'] && !earlier.has(port['nodePort']))) return;
  for (const port of ports) delete port['nodePort'];
}
