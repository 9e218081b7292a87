import type { FieldError, GroupKind, StatusError } from '../status.ts';
import { invalid, invalidField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';

const IMMUTABLE = 'field is immutable';

/**
 * Returns the errors of an update that starts or changes the deletion of an object. A value that is left out is kept.
 * A real server checks these fields twice.
 * (Upstream: `rest.BeforeUpdate`.)
 */
export function deletionErrors(previous: ApiObject, next: ApiObject): FieldError[] {
  const { deletionTimestamp, deletionGracePeriodSeconds } = next.metadata;
  const errors: FieldError[] = [];
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
