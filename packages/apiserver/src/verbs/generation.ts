import { isDeepStrictEqual } from 'node:util';
import type { ResourceType } from '../resources/resource-type.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Part } from './written-part.ts';

/** Parts whose change can start a new generation. */
const COUNTED: ReadonlySet<Part> = new Set(['object', 'scale', 'ephemeralcontainers', 'resize']);

/** Reports whether the change of a part starts a new generation. */
export function isNewGeneration(
  { countsGeneration, generationBy }: ResourceType,
  part: Part,
  { object, previous }: { readonly object: ApiObject; readonly previous: ApiObject },
): boolean {
  if (!countsGeneration || !COUNTED.has(part)) return false;
  if (generationBy === 'creation') return false;
  if (specChanged(object, previous)) return true;
  if (generationBy === undefined) return false;
  return !isDeepStrictEqual(object.metadata[generationBy] ?? {}, previous.metadata[generationBy] ?? {});
}

function specChanged(object: ApiObject, previous: ApiObject): boolean {
  const spec = ({ metadata: _metadata, status: _status, apiVersion: _apiVersion, ...rest }: ApiObject): object => rest;
  return !isDeepStrictEqual(spec(object), spec(previous));
}
