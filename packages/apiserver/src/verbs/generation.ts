import type { ResourceType } from '../resources/resource-type.ts';
import { areEqual } from '../schema/equal-json.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';
import type { Part } from './written-part.ts';

/** Parts whose change can start a new generation. */
const COUNTED: ReadonlySet<Part> = new Set(['object', 'scale', 'ephemeralcontainers', 'resize']);

/** Reports whether the change of a part starts a new generation. */
export function* isNewGeneration(
  { countsGeneration, generationBy }: ResourceType,
  part: Part,
  { object, previous }: { readonly object: ApiObject; readonly previous: ApiObject },
  turn: Turn,
): Paused<boolean> {
  if (!countsGeneration || !COUNTED.has(part)) return false;
  if (generationBy === 'creation') return false;
  if (!(yield* areEqual(specOf(object), specOf(previous), turn))) return true;
  if (generationBy === undefined) return false;
  const [after, before] = [object.metadata[generationBy] ?? {}, previous.metadata[generationBy] ?? {}];
  return !(yield* areEqual(after, before, turn));
}

function specOf({ metadata: _metadata, status: _status, apiVersion: _apiVersion, ...rest }: ApiObject): object {
  return rest;
}
