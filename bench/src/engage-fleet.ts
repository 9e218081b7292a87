import { once } from 'node:events';
import { connect } from 'node:tls';
import type { ClusterConfig } from '@mcr/core';
import { KINDS, startMemberFleet, timeToEngage } from './member-fleet.ts';
import type { Scenario } from './scenario.ts';
import { median } from './scenario.ts';

/** Number of clusters that a provider connects to at once. */
const CONCURRENCY = 16;

/** P-8: time to engage a whole fleet. */
export const engageFleet: Scenario = {
  id: 'P-8',
  title: 'engage 1,000 clusters of 3 kinds and 10 objects each, in one process',
  unit: 'ms',
  goal: '≤ 2 × the time of the TLS handshakes alone',
  isMet: ({ ratio }) => ratio <= 2,

  async measure(size) {
    const count = size === 'full' ? 1_000 : 10;
    const runs = size === 'full' ? 3 : 1;
    await using fleet = await startMemberFleet({ members: count, objects: 10, kinds: KINDS.map(({ kind }) => kind) });
    const configs = new Map([...fleet.members].map(([name, { config }]) => [name, config]));
    const values: number[] = [];
    const floors: number[] = [];
    for (let run = 0; run < runs; run++) {
      floors.push(await timeToShakeHands([...configs.values()]));
      values.push(await timeToEngage(fleet.hub, configs));
    }
    return { value: median(values), floor: median(floors), details: { 'ms per cluster': median(values) / count } };
  },
};

async function timeToShakeHands(configs: readonly ClusterConfig[]): Promise<number> {
  const waiting = configs.values();
  const work = async () => {
    for (const { server, tls } of waiting) {
      const { hostname, port } = new URL(server);
      const socket = connect({ host: hostname, port: Number(port), ca: tls?.caData, ALPNProtocols: ['h2'] });
      await once(socket, 'secureConnect');
      socket.destroy();
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return performance.now() - started;
}
