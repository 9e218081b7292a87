import type { ResourceType } from '../resources/resource-type.ts';
import { copyEmpty, hasEmptyCollection } from '../schema/empty-collections.ts';
import { areEqual } from '../schema/equal-json.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';
import type { Part } from './written-part.ts';

/** Parts whose change can start a new generation. */
const COUNTED: ReadonlySet<Part> = new Set(['object', 'scale', 'ephemeralcontainers', 'resize']);

/**
 * Reports whether a write starts a new generation although it changes nothing: the comparison of its kind distinguishes an
 * empty list or map that was sent from the absent one in the storage.
 */
export function sendsEmptyCollection(
  { countsEmptyCollections }: ResourceType,
  part: Part,
  written: ApiObject,
): boolean {
  if (!countsEmptyCollections || part !== 'object') return false;
  const { metadata: _, ...fields } = written;
  copyEmpty(written, fields);
  return hasEmptyCollection(fields);
}

/** Reports whether the change of a part starts a new generation. */
export function* isNewGeneration(
  { countsGeneration, generationBy, builtIn, statusSubresource }: ResourceType,
  part: Part,
  { object, previous }: { readonly object: ApiObject; readonly previous: ApiObject },
  turn: Turn,
): Paused<boolean> {
  if (!countsGeneration || !COUNTED.has(part)) return false;
  if (generationBy === 'creation') return false;
  // The status of a custom kind counts unless it has a subresource.
  const counted = builtIn || statusSubresource ? specOf : withoutMetadata;
  if (!(yield* areEqual(counted(object), counted(previous), turn))) return true;
  if (generationBy === undefined) return false;
  const [after, before] = [object.metadata[generationBy] ?? {}, previous.metadata[generationBy] ?? {}];
  return !(yield* areEqual(after, before, turn));
}

function specOf({ metadata: _metadata, status: _status, apiVersion: _apiVersion, ...rest }: ApiObject): object {
  return rest;
}

function withoutMetadata({ metadata: _metadata, apiVersion: _apiVersion, ...rest }: ApiObject): object {
  return rest;
}
