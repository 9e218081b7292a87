import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, LOCAL_CLUSTER } from '@mcr/core';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import type { World } from './perturbation/schedule.ts';
import { play } from './perturbation/schedule.ts';

/** Number of schedules that run concurrently: each one mostly waits. */
const TOGETHER = 16;
/** Every n-th schedule also runs without faults, and must end in the same state. */
const CALM = 20;

const { MCR_SEED, MCR_SCHEDULES = '240' } = process.env;
const seeds =
  MCR_SEED === undefined
    ? Array.from({ length: Number(MCR_SCHEDULES) }, (_, index) => index + 1)
    : MCR_SEED.split(',').map(Number);

describe('a controller that copies every ConfigMap of the hub to every member', () => {
  let fleet: ControlPlaneFleet;
  let world: World;
  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 2, bookmarkInterval: 3_000 });
    const planes = new Map([
      [LOCAL_CLUSTER, fleet.hub],
      ...fleet.members.map((member) => [member.name, member] as const),
    ]);
    world = { planes, clients: new Map([...planes].map(([name, { config }]) => [name, createClient(config)])) };
  });
  afterAll(async () => {
    await Promise.all([...world.clients.values()].map((client) => client.close()));
    await fleet.stop();
  });

  it(
    `ends in the state that it reaches without faults, under each of ${seeds.length} schedules of faults at every boundary`,
    async () => {
      const failures: string[] = [];
      const waiting = [...seeds];
      const worker = async (): Promise<void> => {
        for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
          try {
            const { state } = await play(world, seed, 'seeded');
            if (seed % CALM === 0 || MCR_SEED !== undefined)
              expect(state).toBe((await play(world, seed, 'none')).state);
          } catch (error) {
            failures.push(`MCR_SEED=${seed}: ${(error as Error).message}`);
          }
        }
      };
      await Promise.all(Array.from({ length: TOGETHER }, worker));
      expect(failures).toEqual([]);
    },
    // A schedule that does not settle fails after a number of ticks, which take longer on a busy machine.
    60_000 + seeds.length * 10_000,
  );
});
