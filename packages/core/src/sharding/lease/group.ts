import * as z from 'zod';

/** The group of replicas that share a fleet, and the format of its Leases. */
export interface ShardGroup {
  readonly name: string;
  /** Namespace of the Leases. */
  readonly namespace: string;
  /** Number of slots. */
  readonly slots: number;
  /** Names of the controllers whose requests this process divides. They grow as controllers are created. Default: none. */
  readonly controllers?: ReadonlySet<string>;
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

/** A Lease under the label of this group belongs to a group with another configuration. */
export class ShardGroupMismatchError extends Error {
  override readonly name = 'ShardGroupMismatchError';
}

/** Maximum number of controllers that the Lease of a member names. */
const MAX_CONTROLLERS = 20;
/** Maximum length of the name of a controller in a Lease, in characters. */
const MAX_CONTROLLER = 63;

export const controllersSchema = z.array(z.string().max(MAX_CONTROLLER)).max(MAX_CONTROLLERS);

/** Returns the names of the group's controllers as Leases have them: shortened, sorted, and the first of many. */
export function controllersOf({ controllers }: ShardGroup): readonly string[] {
  const names = [...(controllers ?? [])].map((name) => name.slice(0, MAX_CONTROLLER));
  return [...new Set(names)].sort().slice(0, MAX_CONTROLLERS);
}

/**
 * Checks that a replica runs the same program as this one. Versions of one program have a controller in common.
 *
 * @param found the controllers of that replica. Empty: not known.
 * @throws {ShardGroupMismatchError} if it has none of this replica's controllers.
 */
export function checkControllers(lease: string, group: ShardGroup, found: readonly string[]): void {
  const own = controllersOf(group);
  if (own.length === 0 || found.length === 0 || found.some((name) => own.includes(name))) return;
  const text = (names: readonly string[]) =>
    names
      .slice(0, 5)
      .map((name) => JSON.stringify(name))
      .join(', ');
  throw new ShardGroupMismatchError(
    `lease ${group.namespace}/${lease} belongs to a replica with other controllers (${text(found)}) than this one (${text(own)}), ` +
      `so that two programs use the sharding.name ${JSON.stringify(group.name)}: choose another sharding.name for one of them; ` +
      'if a new version renames all controllers of a program, scale the program to zero before the update',
  );
}

/** @throws {ShardGroupMismatchError} if an annotation was written for another group. The message names both. */
export function checkGroup(
  lease: string,
  { name, namespace, slots }: ShardGroup,
  found: { readonly group: string; readonly slots: number },
): void {
  if (found.group === name && found.slots === slots) return;
  const text = (group: string, count: number) => `${JSON.stringify(group.slice(0, 64))} with ${count} slots`;
  throw new ShardGroupMismatchError(
    `lease ${namespace}/${lease} belongs to the group ${text(found.group, found.slots)}, and this replica to ${text(name, slots)}: ` +
      'give all replicas of a group the same sharding.slots, choose another sharding.name, or delete the Leases of the group while no replica runs',
  );
}
