import { listAt } from '../resources/cells.ts';
import { scalarText, valueAt } from '../resources/resource-type.ts';
import { badRequest } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';

/**
 * Returns the container of a Pod that a request names, or the only one.
 *
 * @throws {StatusError} 400 if the Pod does not have the container, or has several and none is named.
 */
export function containerOf(pod: ApiObject, wanted: string): string {
  const names = (field: string): string[] =>
    listAt(pod, `spec.${field}`).map((container) => scalarText(valueAt(container, 'name')));
  const [containers, inits, ephemeral] = [names('containers'), names('initContainers'), names('ephemeralContainers')];
  const { name } = pod.metadata;
  if (wanted !== '') {
    if ([...containers, ...inits, ...ephemeral].includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  const [only, ...others] = containers;
  if (only !== undefined && others.length === 0) return only;
  const all = [...inits, ...containers, ...ephemeral].join(' ');
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all}]`);
}
