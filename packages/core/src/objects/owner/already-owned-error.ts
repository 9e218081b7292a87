import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';
import type { OwnerReference } from '@mcr/client';

/** An object already has another controller. (Upstream: `controllerutil.AlreadyOwnedError`.) */
export class AlreadyOwnedError extends McrError {
  override readonly name = 'AlreadyOwnedError';
  readonly [ERROR_BRAND] = '@mcr/core/AlreadyOwnedError';
  /** The existing controller. */
  readonly owner: Readonly<OwnerReference>;

  /** @param object text of the object, for example `shop/cart`. */
  constructor(object: string, owner: Readonly<OwnerReference>, options?: ErrorOptions) {
    super(`${object} has a controller already: ${owner.kind} ${owner.name}; an object can have only one`, options);
    this.owner = owner;
  }
}

/** Whether `error` is an {@link AlreadyOwnedError}. */
export function isAlreadyOwned(error: unknown): error is AlreadyOwnedError {
  return hasBrand<AlreadyOwnedError>(error, '@mcr/core/AlreadyOwnedError');
}
