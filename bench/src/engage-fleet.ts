import type { BareConnectionsCommands } from './bare-connections-program.ts';
import { costToEngage, KINDS, startMemberFleet } from './member-fleet.ts';
import { startProgram } from './program.ts';
import type { Scenario } from './scenario.ts';
import { median } from './scenario.ts';

/** P-8: processor time to engage a whole fleet. */
export const engageFleet: Scenario = {
  id: 'P-8',
  title: 'engage 1,000 clusters (3 kinds, 10 objects each), one process, client processor time',
  unit: 'ms',
  goal: '≤ 2 × TLS handshakes alone',
  isMet: ({ ratio }) => ratio <= 2,

  async measure(size) {
    const count = size === 'full' ? 1_000 : 10;
    const runs = size === 'full' ? 3 : 1;
    await using fleet = await startMemberFleet({ members: count, objects: 10, kinds: KINDS.map(({ kind }) => kind) });
    await using bare = startProgram<BareConnectionsCommands>(new URL('bare-connections-program.ts', import.meta.url));
    const configs = new Map([...fleet.members].map(([name, { config }]) => [name, config]));
    const values: number[] = [];
    const walls: number[] = [];
    const floors: number[] = [];
    for (let run = 0; run < runs; run++) {
      floors.push(await bare.run('shakeHands', [...configs.values()]));
      const { processor, wall } = await costToEngage(fleet.hub, configs);
      values.push(processor);
      walls.push(wall);
    }
    return { value: median(values), floor: median(floors), details: { wall: median(walls) } };
  },
};
