import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigMap, silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { controllerManagedBy } from './builder/builder.ts';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { createCluster } from '../fleet/cluster/create-cluster.ts';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import { MultiClusterManager } from '../manager/multi-cluster-manager.ts';
import { MistypedServer, seeded } from './mistyped-server.fixture.ts';

/** Number of documents with a wrong type that a cluster sends before it recovers. */
const MUTATIONS = 40;
/** Time by which the clock advances in one turn of the event loop without open requests, in milliseconds. */
const STEP = 50;
const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

/** Requests of the client that have no response yet. */
const open = new Set<ClientRequest>();

function onStart(message: unknown): void {
  const { request } = message as { readonly request: ClientRequest };
  open.add(request);
  for (const event of ['response', 'close']) request.once(event, () => open.delete(request));
}

describe('a cluster that answers with fields of wrong types', () => {
  beforeAll(() => subscribe('http.client.request.start', onStart));
  afterAll(() => void unsubscribe('http.client.request.start', onStart));

  it.each(SEEDS)('S-14: is never lost, and served again when it behaves (seed %i)', async (seed) => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown) => void rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    const random = seeded(seed);
    await using server = new MistypedServer(random);
    const clock = new VirtualClock();
    const until = async (isDone: () => boolean) => {
      for (let turn = 0; !isDone(); turn += 1) {
        if (turn > 100_000)
          throw new Error(`not done after ${clock.now()} ms: ${JSON.stringify(manager.fleet.list())}`);
        await clock.advance(STEP);
        // A response takes real time, however long on a busy machine.
        while (open.size > 0) await new Promise((resolve) => setImmediate(resolve));
      }
    };

    const provider = new InMemoryProvider<Cluster>({ clock });
    const manager = new MultiClusterManager({
      localCluster: FakeCluster.ready(),
      provider,
      coordinator: new BroadcastCoordinator(),
      logger: silentLogger,
      clock,
      controllerOptions: {},
      gracefulShutdownTimeout: 30_000,
    });
    const reconciled = new Set<string>();
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .complete(async ({ name }) => void reconciled.add(name));
    const cluster = createCluster({ server: await server.listen() }, { name: 'eu-1', clock });
    provider.set('eu-1', cluster);
    const end = new AbortController();
    const started = manager.start(end.signal);

    await until(() => server.mutations >= MUTATIONS);
    server.recover();
    await until(() => manager.fleet.get('eu-1')?.phase === 'Engaged');
    server.add('last');
    await until(() => reconciled.has('last'));
    const { items } = await cluster.client.list(ConfigMap);
    expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(server.names.toSorted());
    const phases = manager.fleet.get('eu-1')?.history.map(({ phase }) => phase);
    expect(phases).not.toContain('Disengaged');

    end.abort();
    const stopped = started.then(() => (done = true));
    let done = false;
    await until(() => done);
    await stopped;
    expect(rejections).toEqual([]);
    process.off('unhandledRejection', onRejection);
  });
});
