import type { BlackHole } from '../black-hole.ts';
import { openBlackHole } from '../black-hole.ts';
import type { CaseDescription } from '../case.ts';
import type { Member } from '../contract.ts';
import type { Stage } from '../stage.ts';
import { clockOf } from '../system.ts';
import { hangingMembers } from './trouble.ts';

/** A broken member takes 30 s, by a clock that leaves a busy machine four times as long for the others. */
const leisurelyClock = clockOf(1 / 4);
/** What the healthy members of a fleet may take on a slow machine, in milliseconds; a broken one takes 120,000. */
const WITHIN = 100_000;
/** The same for each member of a fleet that is larger than most. */
const PER_MEMBER = 200;

/** @param size how many members join at once; a twentieth of them is broken, in as many ways as there are. */
export function largeFleetCase(size: number): CaseDescription {
  return {
    id: 'PV-5',
    title: `engages a fleet of ${size} that joins in one go, some of it broken, in the time that the healthy ones need`,
    deadline: 240_000,
    async play(stage) {
      await using blackHole = await openBlackHole();
      const broken = Math.floor(size / 20);
      const names = Array.from({ length: size - broken }, (_, index) => `member-${index}`);
      const [healthy, bad] = [await stage.members(...names), await brokenMembers(stage, broken, blackHole)];
      const system = await stage.start({}, leisurelyClock);
      // They come first, so that whoever waits for one of them waits.
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
          hint: 'connect to members apart from each other: ensure() or sync() of Clusters',
        },
        Math.max(WITHIN, size * PER_MEMBER),
      );
      await stage.untilEngaged(system, healthy, 'members that do not answer are not engaged');
      // What is left of connections has to be gone before the black hole is.
      await stage.stop(system);
    },
  };
}

/** Most of them never answer, some refuse their credentials, and some refuse connections. */
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
