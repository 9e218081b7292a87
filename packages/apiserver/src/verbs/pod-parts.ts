import { listAt } from '../resources/cells.ts';
import { valueAt } from '../resources/resource-type.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';

/** Returns the spec of a Pod with the ephemeral containers of another one. */
export function withEphemeralContainers(pod: ApiObject, other: ApiObject): JsonObject {
  const { ephemeralContainers: _, ...spec } = pod['spec'] as JsonObject;
  const containers = listAt(other, 'spec.ephemeralContainers');
  return containers.length > 0 ? { ...spec, ephemeralContainers: containers } : spec;
}

/** Returns the spec of a Pod with the resources and resize policies of another one's containers. */
export function resized(pod: ApiObject, other: ApiObject): JsonObject {
  const spec = pod['spec'] as JsonObject;
  const containers = Object.fromEntries(
    ['containers', 'initContainers'].flatMap((field) => {
      const wanted = new Map(listAt(other, `spec.${field}`).map((each) => [valueAt(each, 'name'), each]));
      const own = listAt(pod, `spec.${field}`);
      return own.length === 0 ? [] : [[field, own.map((each) => resizedContainer(each, wanted))]];
    }),
  );
  return { ...spec, ...containers };
}

function resizedContainer(container: unknown, wanted: ReadonlyMap<unknown, unknown>): unknown {
  const other = wanted.get(valueAt(container, 'name'));
  if (other === undefined) return container;
  const { resources: _resources, resizePolicy: _policy, ...rest } = container as JsonObject;
  const [resources, resizePolicy] = ['resources', 'resizePolicy'].map((field) => valueAt(other, field));
  return { ...rest, resources: resources ?? {}, ...(resizePolicy !== undefined && { resizePolicy }) };
}
