import type { ObjectKey } from '@mcr/client';
import { objectKeyText } from '@mcr/client';

/** The record of an owner does not exist, so nothing can be placed. The request of the owner creates it again. */
export class MissingRecordError extends Error {
  override readonly name = 'MissingRecordError';

  constructor(record: ObjectKey, options?: ErrorOptions) {
    super(`the placement record ${objectKeyText(record)} is missing: it is created again`, options);
  }
}
