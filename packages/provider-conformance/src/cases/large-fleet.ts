import { systemClock } from '@mcr/core';
import type { BlackHole } from '../black-hole.ts';
import { openBlackHole } from '../black-hole.ts';
import type { CaseDescription } from '../case.ts';
import type { Member } from '../contract.ts';
import type { Stage } from '../stage.ts';
import { hangingMembers } from './trouble.ts';

/** What a healthy member of a large fleet may take on a slow machine, in milliseconds; a broken one takes 30,000. */
const PER_MEMBER = 55;

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
      // The waits of broken members are as long as they are in earnest.
      const system = await stage.start({}, systemClock);
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
        Math.max(stage.patience, size * PER_MEMBER),
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
