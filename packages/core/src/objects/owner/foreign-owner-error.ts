import { objectKeyText } from '@mcr/client';
import type { Home, Owner } from './home.ts';
import { InvalidOwnerError } from './invalid-owner-error.ts';

/** Creates the error for an owner in another cluster than its object. */
export function foreignOwnerError(owner: Owner, ownerHome: Home, object: string, home: Home): InvalidOwnerError {
  const text = `${owner.kind} ${objectKeyText(owner.metadata)} of ${ownerHome.subject}`;
  return new InvalidOwnerError(
    `${text} cannot own ${object} of ${home.subject}: its garbage collector would delete the object, because it does not find the owner there: ` +
      'refer to the owner by a label or an annotation, and delete the object with a finalizer on the owner',
  );
}
