import { listAt } from '../resources/cells.ts';
import { valueAt } from '../resources/resource-type.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';

/** Returns the spec of a Pod with the ephemeral containers of another one. */
export function withEphemeralContainers(pod: ApiObject, other: ApiObject): JsonObject {
  const { ephemeralContainers: _, ...spec } = pod['spec'] as JsonObject;
  const containers = listAt(other, 'spec.ephemeralContainers');
  return containers.length > 0 ? { ...spec, ephemeralContainers: containers } : spec;
}

const LISTS = ['containers', 'initContainers'] as const;

/**
 * Returns the spec of a Pod with the resources and resize policies of another one's containers. Returns the spec of the
 * other one if it has other containers, which is refused later. (Upstream: `dropNonResizeUpdates`.)
 */
export function resized(pod: ApiObject, other: ApiObject): JsonObject {
  const spec = pod['spec'] as JsonObject;
  const changed = other['spec'] as JsonObject;
  if (LISTS.some((list) => listAt(spec, list).length !== listAt(changed, list).length)) return changed;
  const containers = LISTS.flatMap((list) => {
    const own = listAt(spec, list);
    return own.length === 0 ? [] : [[list, resizedContainers(own, listAt(changed, list))] as const];
  });
  return { ...spec, ...Object.fromEntries(containers) };
}

function resizedContainers(own: readonly unknown[], wanted: readonly unknown[]): readonly unknown[] {
  if (own.some((container, index) => valueAt(container, 'name') !== valueAt(wanted[index], 'name'))) return wanted;
  return own.map((container, index) => {
    const { resources: _resources, resizePolicy: _policy, ...rest } = container as JsonObject;
    const [resources, resizePolicy] = ['resources', 'resizePolicy'].map((field) => valueAt(wanted[index], field));
    return { ...rest, resources: resources ?? {}, ...(resizePolicy !== undefined && { resizePolicy }) };
  });
}
