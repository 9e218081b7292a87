import type { BlackHole } from '../black-hole.ts';
import { openBlackHole } from '../black-hole.ts';
import type { CaseDescription } from '../case.ts';
import type { Member } from '../contract.ts';
import type { Stage } from '../stage.ts';
import { clockOf } from '../system.ts';
import { hangingMembers } from './trouble.ts';

/**
 * A clock at a quarter of the speed. Connecting to a broken member takes 30 s on it, which leaves the others four times
 * as long on a busy machine.
 */
const leisurelyClock = clockOf(1 / 4);
/** Time for the healthy members of a fleet on a slow machine, in milliseconds. A broken member takes 120,000. */
const WITHIN = 100_000;
/** Time for each member of a larger fleet, in milliseconds. */
const PER_MEMBER = 200;

/** @param size number of members that are added at once. A twentieth of them is broken, in several ways. */
export function largeFleetCase(size: number): CaseDescription {
  return {
    id: 'PV-5',
    title: `engages a fleet of ${size} members that are added at once, with some of them broken, in the time that the healthy ones need`,
    deadline: 240_000,
    async play(stage) {
      await using blackHole = await openBlackHole();
      const broken = Math.floor(size / 20);
      const names = Array.from({ length: size - broken }, (_, index) => `member-${index}`);
      const [healthy, bad] = [await stage.members(...names), await brokenMembers(stage, broken, blackHole)];
      const system = await stage.start({}, { clock: leisurelyClock });
      // Broken members are first, so that a provider that waits for one of them delays the healthy ones.
      await stage.addAll(bad);
      await stage.addAll(healthy);
      const wanted = new Set(healthy.map((member) => stage.clusterName(member)));
      await stage.until(
        () => {
          const engaged = system.names.filter((name) => wanted.has(name)).length;
          return engaged < wanted.size ? `${engaged} are` : undefined;
        },
        {
          expected: `the ${wanted.size} healthy members are engaged`,
          hint: 'connect to members concurrently: ensure() or sync() of Clusters',
        },
        Math.max(WITHIN, size * PER_MEMBER),
      );
      await stage.untilEngaged(system, healthy, 'members that do not respond are not engaged');
      // Connections must be closed before the black hole stops.
      await stage.stop(system);
    },
  };
}

/** Most of them never respond, some refuse the credentials, and some refuse connections. */
async function brokenMembers(stage: Stage, count: number, blackHole: BlackHole): Promise<Member[]> {
  if (stage.isVirtual) return [];
  const few = Math.floor(count / 5);
  const names = (what: string) => Array.from({ length: few }, (_, index) => `a-${what}-${index}`);
  const [revoked, refusing] = [await stage.members(...names('revoked')), await stage.members(...names('refusing'))];
  await Promise.all(revoked.map((member) => stage.planeOf(member).revokeToken(member)));
  await Promise.all(refusing.map((member) => stage.planeOf(member).suspend()));
  const [template] = await stage.members('template');
  return [...hangingMembers(template, count - 2 * few, blackHole), ...revoked, ...refusing];
}
