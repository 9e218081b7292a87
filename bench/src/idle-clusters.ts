import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { fileURLToPath } from 'node:url';
import type { ClusterConfig } from '@mcr/core';
import { controllerManagedBy, createCluster, enqueueRequestForObject } from '@mcr/core';
import { KINDS, newFleetManager, startMemberFleet, untilEngaged } from './member-fleet.ts';
import type { MemberFleet } from './member-fleet.ts';
import type { Scenario } from './scenario.ts';

/** P-6: resident memory of an engaged cluster without changes. */
export const idleClusters: Scenario = {
  id: 'P-6',
  title: 'resident memory per idle engaged cluster of 3 watched kinds, 1,000 of them',
  unit: 'KB',
  goal: '≤ 300 KB',
  isMet: ({ value }) => value <= 300,

  async measure(size) {
    const members = size === 'full' ? 1_000 : 10;
    await using fleet = await startMemberFleet({ members, objects: 1, kinds: KINDS.map(({ kind }) => kind) });
    const configs = [...fleet.members.values()].map(({ config }) => config);
    const floor = await measureBare(configs);
    return { value: (await engage(fleet)) / members / 1e3, floor: floor / members / 1e3 };
  },
};

/** Returns the bytes of memory that a manager of the fleet adds to the process. */
async function engage({ hub, members }: MemberFleet): Promise<number> {
  const { manager, provider } = await newFleetManager(hub);
  const builder = controllerManagedBy(manager).named('watch-three-kinds');
  for (const kind of KINDS) builder.watches(kind, enqueueRequestForObject());
  await builder.complete(async () => undefined);
  const before = residentMemory();
  for (const [name, { config }] of members) provider.set(name, createCluster(config, { name }));
  const end = new AbortController();
  const engaged = untilEngaged(manager, members.keys());
  const running = manager.start(end.signal);
  await engaged;
  const used = residentMemory() - before;
  end.abort();
  await running;
  return used;
}

/** Measures the same clusters with a bare HTTP/2 connection and three watches each, in a separate process. */
async function measureBare(configs: readonly ClusterConfig[]): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: [...process.execArgv, '--expose-gc'] });
  child.send(configs);
  const [used] = (await once(child, 'message')) as [number];
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
  return used;
}

async function connectBare(configs: readonly ClusterConfig[]): Promise<number> {
  const before = residentMemory();
  for (const { server, tls, auth } of configs) {
    const session = connect(server, { ca: tls?.caData });
    const authorization = auth?.type === 'token' ? { authorization: `Bearer ${auth.token}` } : {};
    for (const resource of ['configmaps', 'secrets', 'serviceaccounts']) {
      const stream = session.request({ ':path': `/api/v1/${resource}?watch=true`, ...authorization });
      stream.resume();
      await once(stream, 'response');
    }
  }
  return residentMemory() - before;
}

function residentMemory(): number {
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  return process.memoryUsage().rss;
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('disconnect', () => process.exit(0));
  process.once('message', (configs) => {
    void connectBare(configs as readonly ClusterConfig[]).then((used) => process.send?.(used));
  });
}
