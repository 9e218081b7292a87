import type { ClusterName, Ownership, OwnershipState } from '@mcr/core';
import type { MemberNames } from './member.ts';

/** Returns the part of a fleet's ownership that concerns one provider, with the provider's own names of its clusters. */
export function qualifiedOwnership(ownership: Ownership, { qualify, nameOf }: MemberNames): Ownership {
  return {
    stateOf: (name) => ownership.stateOf(qualify(name)),
    ownerOf: (name) => ownership.ownerOf(qualify(name)),
    declare: (name) => ownership.declare(qualify(name)),
    forget: (name) => ownership.forget(qualify(name)),
    warmed: (name) => ownership.warmed(qualify(name)),
    fenceOf: (name) => ownership.fenceOf(qualify(name)),
    begin: (name) => ownership.begin(qualify(name)),
    onChange: (listener) =>
      ownership.onChange((changes) => {
        const own = new Map<ClusterName, OwnershipState>();
        for (const [qualified, state] of changes) {
          const name = nameOf(qualified);
          if (name !== undefined) own.set(name, state);
        }
        if (own.size > 0) listener(own);
      }),
  };
}
