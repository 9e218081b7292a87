import type { ResourceType } from '../resources/resource-type.ts';
import type { FieldError, GroupKind, StatusError } from '../status.ts';
import { invalid, invalidField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Part } from './written-part.ts';

const IMMUTABLE = 'field is immutable';

/** An update, before the server sets the fields that it owns. */
export interface WrittenObject {
  readonly previous: ApiObject;
  /** Object as the client and the webhooks wrote it. */
  readonly written: ApiObject;
  /** Whether a webhook changed the object. The request itself is checked before. */
  readonly isMutated: boolean;
}

/**
 * Returns the errors of an update that renames an object, or starts or changes its deletion. A value that is left out is
 * kept, except for the name. A real server checks these fields twice.
 * (Upstream: `rest.BeforeUpdate`.)
 */
export function identityErrors(
  type: ResourceType,
  part: Part,
  { previous, written, isMutated }: WrittenObject,
): FieldError[] {
  // Upstream resets the metadata of a status that cannot change them.
  const isReset = part === 'status' && (!type.builtIn || type.statusMetadata.length === 0);
  if (isReset || (part !== 'object' && !isMutated)) return [];
  const { name, uid, deletionTimestamp, deletionGracePeriodSeconds } = written.metadata;
  const errors: FieldError[] = [];
  if (name !== previous.metadata.name) errors.push(invalidField('metadata.name', name, IMMUTABLE));
  if (uid && uid !== previous.metadata.uid) errors.push(invalidField('metadata.uid', uid, IMMUTABLE));
  if (deletionTimestamp !== undefined && previous.metadata.deletionTimestamp === undefined) {
    errors.push(invalidField('metadata.deletionTimestamp', deletionTimestamp, IMMUTABLE));
  }
  const period = previous.metadata.deletionGracePeriodSeconds;
  if (deletionGracePeriodSeconds !== undefined && deletionGracePeriodSeconds !== period) {
    errors.push(invalidField('metadata.deletionGracePeriodSeconds', deletionGracePeriodSeconds, IMMUTABLE));
  }
  return [...errors, ...errors];
}

/** 422: a patch changes the uid. */
export function immutableUid(type: GroupKind, name: string, uid: string): StatusError {
  const error = invalidField('metadata.uid', uid, IMMUTABLE);
  return invalid(type, name, [error, error]);
}
