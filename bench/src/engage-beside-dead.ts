import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { ClusterConfig, ClusterName } from '@mcr/core';
import { costToEngage, KINDS, startMemberFleet } from './member-fleet.ts';
import type { Scenario } from './scenario.ts';
import { median } from './scenario.ts';

/** P-9: delay that clusters without answers cause for the others. */
export const engageBesideDead: Scenario = {
  id: 'P-9',
  title: 'engage 950 clusters beside 50 that accept connections and never answer',
  unit: 'ms',
  goal: '≤ 1.10 ×',
  isMet: ({ ratio }) => ratio <= 1.1,

  async measure(size) {
    const [healthy, dead] = size === 'full' ? [950, 50] : [8, 2];
    const runs = size === 'full' ? 3 : 1;
    await using fleet = await startMemberFleet({ members: healthy, objects: 10, kinds: KINDS.map(({ kind }) => kind) });
    await using blackHole = await openBlackHole();
    const configs = new Map([...fleet.members].map(([name, { config }]) => [name, config]));
    const others = new Map(
      Array.from({ length: dead }, (_, index): [ClusterName, ClusterConfig] => [`dead-${index}`, blackHole.config]),
    );
    const values: number[] = [];
    const floors: number[] = [];
    // The first run compiles the code and would raise the floor.
    await costToEngage(fleet.hub, configs);
    for (let run = 0; run < runs; run++) {
      floors.push((await costToEngage(fleet.hub, configs)).wall);
      values.push((await costToEngage(fleet.hub, configs, others)).wall);
    }
    return { value: median(values), floor: median(floors), details: {} };
  },
};

/** Accepts connections and never answers. Runs in this process because it uses no CPU time. */
async function openBlackHole(): Promise<AsyncDisposable & { readonly config: ClusterConfig }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    config: { server: `https://127.0.0.1:${port}` },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
