import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ClusterConfig, ClusterName } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createClient, createCluster } from '@mcr/core';
import type { MemberFleet } from './member-fleet.ts';
import { newFleetManager, startMemberFleet, untilEngaged } from './member-fleet.ts';
import type { Scenario } from './scenario.ts';
import { percentile } from './scenario.ts';

/** Changes per cluster and second. */
const CHANGES = 10;
const KEY = { namespace: 'default', name: 'object-0' };

/** P-10: delay from a change in a member to the start of its reconcile. */
export const changeLatency: Scenario = {
  id: 'P-10',
  title: 'change in a member → reconcile starts, 100 clusters at 10 changes/s each (p50)',
  unit: 'ms',
  goal: 'p50 ≤ 2 ms, p99 ≤ 10 ms above the floor',
  isMet: ({ value, floor, detail }) => value - floor <= 2 && detail('p99') - detail('p99Floor') <= 10,

  async measure(size) {
    const [members, seconds] = size === 'full' ? [100, 10] : [5, 1];
    await using fleet = await startMemberFleet({ members, objects: 1, kinds: ['ConfigMap'] });
    const raw = await rawLatencies(fleet, seconds);
    const reconciled = await reconcileLatencies(fleet, seconds);
    const [value, floor] = [percentile(reconciled, 0.5), percentile(raw, 0.5)];
    const [p99, rawP99] = [percentile(reconciled, 0.99), percentile(raw, 0.99)];
    return { value, floor, details: { p99, p99Floor: rawP99 } };
  },
};

/** Measures from just before each write until a bare watch receives the change. */
async function rawLatencies({ members }: MemberFleet, seconds: number): Promise<number[]> {
  const latencies: number[] = [];
  const end = new AbortController();
  const clients = [...members.values()].map(({ config }) => createClient(config));
  const follow = async (client: (typeof clients)[number]) => {
    const { metadata } = await client.list(ConfigMap);
    const { resourceVersion } = metadata;
    for await (const event of client.watch(ConfigMap, { resourceVersion, signal: end.signal })) {
      const at = event.type === 'MODIFIED' ? event.object.data?.['at'] : undefined;
      if (at !== undefined) latencies.push(now() - Number(at));
    }
  };
  const watches = clients.map((client) => follow(client).catch(() => undefined));
  await writeFor(seconds, members);
  end.abort();
  await Promise.all(watches);
  for (const client of clients) await client.close();
  return latencies;
}

/** Measures from just before each write until the reconcile of the object starts. */
async function reconcileLatencies({ hub, members }: MemberFleet, seconds: number): Promise<number[]> {
  const latencies: number[] = [];
  const latest = new Map<ClusterName, string>();
  const { manager, provider } = await newFleetManager(hub);
  await controllerManagedBy(manager)
    .for(ConfigMap, { namespaces: [KEY.namespace] })
    .withOptions({ maxConcurrentReconciles: 16 })
    .complete(async (request, { cluster }) => {
      const started = now();
      const { cache } = await cluster();
      const { store } = await cache.informer(ConfigMap, { namespaces: [KEY.namespace] });
      const at = store.get(request)?.data?.['at'];
      // Ignores the initial objects and the writer's first patches, which carry no timestamp.
      if (at === undefined || latest.get(request.clusterName) === at) return;
      latest.set(request.clusterName, at);
      latencies.push(started - Number(at));
    });
  for (const [name, { config }] of members) provider.set(name, createCluster(config, { name }));
  const end = new AbortController();
  const engaged = untilEngaged(manager, members.keys());
  const running = manager.start(end.signal);
  await engaged;
  latencies.length = 0;
  await writeFor(seconds, members);
  end.abort();
  await running;
  return latencies;
}

interface WriterOptions {
  readonly seconds: number;
  readonly configs: readonly ClusterConfig[];
}

/** Writes from a separate process. Resolves when all writes are done. */
async function writeFor(seconds: number, members: MemberFleet['members']): Promise<void> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), {
    execArgv: ['--conditions=@mcr/source', '--disable-warning=ExperimentalWarning'],
  });
  const options: WriterOptions = { seconds, configs: [...members.values()].map(({ config }) => config) };
  child.send(options);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the writer exited with code ${code ?? 'none'}`);
}

async function write({ seconds, configs }: WriterOptions): Promise<void> {
  const clients = configs.map((config) => createClient(config));
  const change = (client: (typeof clients)[number]) =>
    client.patch(ConfigMap, KEY, { data: { at: String(now()) } }, 'merge');
  // The first requests open the connections, so they carry no timestamp.
  await Promise.all(clients.map((client) => client.patch(ConfigMap, KEY, { data: { at: null } }, 'merge')));
  const pending: Promise<unknown>[] = [];
  const interval = 1_000 / CHANGES / clients.length;
  const started = performance.now();
  for (let sent = 0; sent < seconds * CHANGES * clients.length;) {
    // Spreads writes evenly and keeps their order: if the timer fires late, several writes are due.
    for (const due = (performance.now() - started) / interval; sent < due; sent++) {
      const client = clients[sent % clients.length];
      if (client) pending.push(change(client));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(pending);
  for (const client of clients) await client.close();
}

/** Milliseconds on a clock that all processes of this machine share. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const [options] = (await once(process, 'message')) as [WriterOptions];
  process.disconnect();
  await write(options);
}
