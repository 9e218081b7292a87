import type { OwnerReference } from '@mcr/client';

/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/core/AlreadyOwnedError');

/** An object already has another controller. (Upstream: `controllerutil.AlreadyOwnedError`.) */
export class AlreadyOwnedError extends Error {
  override readonly name = 'AlreadyOwnedError';
  readonly [BRAND] = true;
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
  return error instanceof Error && BRAND in error;
}
