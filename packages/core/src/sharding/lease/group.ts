import * as z from 'zod';

/** The group of replicas that share a fleet, and the format of its Leases. */
export interface ShardGroup {
  readonly name: string;
  /** Namespace of the Leases. */
  readonly namespace: string;
  /** Number of slots. */
  readonly slots: number;
  /** Controllers of this process, as `<name> <division>`. They grow as controllers are created. Default: none. */
  readonly controllers?: ReadonlySet<string>;
}

/**
 * Returns the name of the Lease of a plan. It differs from the name of the group, which a Lease of leader election may
 * have too.
 */
export function planLeaseName({ name }: ShardGroup): string {
  return `${name}-plan`;
}

/** Selects the Leases of a group. The value is the name of the group. */
export const GROUP_LABEL = 'shard.mcr.dev/group';
/** Holds the plan, in the Lease of the plan. */
export const PLAN_ANNOTATION = 'shard.mcr.dev/plan';
/** Holds the record of a member, in its Lease. */
export const MEMBER_ANNOTATION = 'shard.mcr.dev/member';
/** Holds the number of the write, in the Lease of a member. Separate, because it changes with each renewal. */
export const SEQUENCE_ANNOTATION = 'shard.mcr.dev/sequence';

/** Format of the annotations that this version writes. */
export const FORMAT = 1;
/** Maximum size of an annotation that is read, in characters. */
export const MAX_LENGTH = 200_000;
/** Maximum length of the reason why an annotation cannot be read, in characters. */
export const MAX_REASON = 200;

/** Fields of every annotation. */
export const groupSchema = z.object({ format: z.int(), group: z.string(), slots: z.int().positive() });

/** The plan was written by a group with another configuration, or by another program. */
export class ShardGroupMismatchError extends Error {
  override readonly name = 'ShardGroupMismatchError';
}

/** Says how the group that an annotation was written for differs from this one. `undefined` if it does not. */
export function groupMismatch(
  { name, slots }: ShardGroup,
  found: { readonly group: string; readonly slots: number },
): string | undefined {
  if (found.group === name && found.slots === slots) return undefined;
  const text = (group: string, count: number) => `${JSON.stringify(group.slice(0, 64))} with ${count} slots`;
  return `belongs to the group ${text(found.group, found.slots)}, and this replica to ${text(name, slots)}`;
}
