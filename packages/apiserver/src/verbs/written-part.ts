import type { ResourceType } from '../resources/resource-type.ts';
import { valueAt } from '../resources/resource-type.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { resized, withEphemeralContainers } from './pod-parts.ts';

/**
 * Part of an object that a write can change: everything except the status, only the status, or only the spec, for a
 * namespace's finalizers or a scale.
 */
export type Part = 'object' | 'status' | 'finalize' | 'scale' | PodPart | 'approval';

/** Parts of a Pod: its node, its ephemeral containers, or the resources of its containers. */
export type PodPart = 'binding' | 'ephemeralcontainers' | 'resize';

/** Parts that are validated. A Pod is bound without. */
export const VALIDATED: ReadonlySet<Part> = new Set([
  ...(['object', 'status', 'finalize', 'scale', 'approval', 'ephemeralcontainers', 'resize'] as const),
]);

/** Parts whose fields have defaults. */
export const DEFAULTED: ReadonlySet<Part> = new Set(['object', 'ephemeralcontainers', 'resize']);

/** Metadata that client writes do not change. */
const SERVER_OWNED: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]);

/** Returns the part of `next` that this write may change, and the rest of `previous`. */
export function combine(type: ResourceType, part: Part, previous: ApiObject, next: ApiObject): ApiObject {
  switch (part) {
    case 'status':
      return withField(withMetadata(previous, next, type.statusMetadata), 'status', next['status']);
    case 'approval':
      return withField(previous, 'status', withConditions(previous['status'], valueAt(next, 'status.conditions')));
    case 'ephemeralcontainers':
      return withField(previous, 'spec', withEphemeralContainers(previous, next));
    case 'resize':
      return withField(previous, 'spec', resized(previous, next));
    case 'binding':
      return { ...next, metadata: { ...next.metadata, managedFields: previous.metadata.managedFields ?? [] } };
    case 'finalize':
    case 'scale':
      return withField(previous, 'spec', next['spec']);
    case 'object': {
      const written = Object.entries(next.metadata).filter(([field]) => !SERVER_OWNED.has(field));
      const owned = Object.entries(previous.metadata).filter(([field]) => SERVER_OWNED.has(field));
      const metadata = Object.fromEntries([...written, ...owned]) as unknown as ApiObject['metadata'];
      const object = { ...next, metadata };
      return type.statusSubresource ? withField(object, 'status', previous['status']) : object;
    }
  }
}

function withField(object: ApiObject, field: string, value: unknown): ApiObject {
  const { [field]: _, ...rest } = object;
  return (value === undefined ? rest : { ...rest, [field]: value }) as ApiObject;
}

function withConditions(status: unknown, conditions: unknown): object {
  const { conditions: _, ...rest } = (status ?? {}) as { readonly conditions?: unknown };
  return { ...rest, ...(conditions !== undefined && { conditions }) };
}

/** Returns an object with some of the metadata of another one. */
function withMetadata(object: ApiObject, other: ApiObject, fields: ResourceType['statusMetadata']): ApiObject {
  const kept = Object.entries(object.metadata).filter(([field]) => !fields.some((each) => each === field));
  const taken = fields.flatMap((field) =>
    other.metadata[field] === undefined ? [] : [[field, other.metadata[field]]],
  );
  const metadata = Object.fromEntries([...kept, ...taken]) as unknown as ApiObject['metadata'];
  return { ...object, metadata };
}
