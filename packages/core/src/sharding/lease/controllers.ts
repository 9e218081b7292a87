import * as z from 'zod';
import type { ShardGroup } from './group.ts';

/** Maximum number of controllers that a plan names. */
const MAX_CONTROLLERS = 50;
/** Maximum length of the name of a controller in a plan, in characters. */
const MAX_NAME = 63;
/** Maximum length of an entry: the name, a space, and the division. */
const MAX_ENTRY = MAX_NAME + 32;

/** The controllers in the annotation of a plan: `<name> <division>`. */
export const controllersSchema = z.array(z.string().max(MAX_ENTRY)).max(MAX_CONTROLLERS);

/** Returns the group's controllers as plans have them: with shortened names, sorted, and the first of many. */
export function controllersOf({ controllers }: ShardGroup): readonly string[] {
  const entries = [...parsed([...(controllers ?? [])])].map(([name, division]) => `${name} ${division}`);
  return entries.sort().slice(0, MAX_CONTROLLERS);
}

/**
 * Says why the replica that wrote a plan runs another program than this one, or one that would reconcile the same objects
 * on two replicas. `undefined` if the two have a controller in common, and divide the requests of each in the same way.
 *
 * @param lease the name of the plan's Lease.
 * @param found the controllers of the replica that wrote the plan. Empty: not known.
 */
export function controllersProblem(lease: string, group: ShardGroup, found: readonly string[]): string | undefined {
  const own = parsed(controllersOf(group));
  const theirs = parsed(found);
  if (own.size === 0 || theirs.size === 0) return undefined;
  const where = `${group.namespace}/${lease}`;
  const common = [...own.keys()].filter((name) => theirs.has(name));
  const changed = common.find((name) => theirs.get(name) !== own.get(name));
  if (changed !== undefined) {
    return (
      `lease ${where} divides the requests of controller ${JSON.stringify(changed)} by ${theirs.get(changed)}, ` +
      `and this replica by ${own.get(changed)}, so that two replicas could reconcile one object: ` +
      'scale the Deployment to zero for this change'
    );
  }
  if (common.length > 0) return undefined;
  const text = (names: Iterable<string>) =>
    [...names]
      .slice(0, 5)
      .map((name) => JSON.stringify(name))
      .join(', ');
  return (
    `lease ${where} belongs to replicas with other controllers (${text(theirs.keys())}) than this one (${text(own.keys())}), ` +
    `so that two programs use the sharding.name ${JSON.stringify(group.name)}: choose another sharding.name for one of them; ` +
    'if a new version renames all controllers of a program, scale the program to zero before the update'
  );
}

/** Returns the division of each controller, by its shortened name. */
function parsed(entries: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    entries.map((entry) => {
      const end = entry.lastIndexOf(' ');
      return [entry.slice(0, Math.min(Math.max(end, 0), MAX_NAME)), entry.slice(end + 1)];
    }),
  );
}
