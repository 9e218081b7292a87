import { ERROR_BRAND, hasBrand, McrError, objectKeyText } from '@mcr/client';
import type { FleetOwner } from './fleet-owner.ts';

/** An object already has another fleet owner. */
export class FleetOwnedError extends McrError {
  override readonly name = 'FleetOwnedError';
  readonly [ERROR_BRAND] = '@mcr/core/FleetOwnedError';
  /** The existing owner. */
  readonly owner: FleetOwner;

  /** @param object text of the object, for example `shop/cart`. */
  constructor(object: string, owner: FleetOwner, options?: ErrorOptions) {
    super(
      `${object} is owned by ${owner.kind} ${objectKeyText(owner)} of the hub ${owner.hub}: rename one of the two objects, or delete that owner`,
      options,
    );
    this.owner = owner;
  }
}

/** Whether `error` is a {@link FleetOwnedError}. */
export function isFleetOwned(error: unknown): error is FleetOwnedError {
  return hasBrand<FleetOwnedError>(error, '@mcr/core/FleetOwnedError');
}
