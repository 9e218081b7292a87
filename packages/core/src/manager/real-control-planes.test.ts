import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { ApiClient } from '@mcr/client';
import { ConfigMap, createClient, silentLogger } from '@mcr/client';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { controllerManagedBy } from '../controller/builder/builder.ts';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { createCluster } from '../fleet/cluster/create-cluster.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import type { ClusterPhase } from '../fleet/status/fleet.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { createManager } from './create-manager.ts';
import type { Manager } from './manager.ts';

describe('a manager over real control planes', () => {
  let fleet: ControlPlaneFleet;
  let members: [ControlPlane, ControlPlane];
  let clients: Map<ControlPlane, ApiClient>;
  let provider: InMemoryProvider;
  let manager: Manager;
  let end: AbortController;
  let started: Promise<void>;
  /** `<cluster>/<name>` of each ConfigMap that was reconciled. */
  let reconciled: string[];
  let onReconcile: () => void;

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 2 });
    const [one, two] = fleet.members;
    if (!one || !two) throw new Error('expected two members');
    members = [one, two];
    clients = new Map([fleet.hub, one, two].map((plane) => [plane, createClient(plane.config)]));
  });

  afterAll(async () => {
    for (const client of clients.values()) await client.close();
    await fleet.stop();
  });

  beforeEach(async () => {
    reconciled = [];
    onReconcile = () => undefined;
    provider = new InMemoryProvider();
    manager = await createManager({
      config: fleet.hub.config,
      provider,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    await controllerManagedBy(manager)
      .named('copy')
      .for(ConfigMap)
      .complete(async ({ clusterName, name }) => {
        reconciled.push(`${clusterName}/${name}`);
        onReconcile();
      });
    end = new AbortController();
    started = manager.start(end.signal);
  });

  afterEach(async () => {
    end.abort();
    await started;
    for (const client of clients.values()) {
      const { items } = await client.list(ConfigMap, { namespace: 'default' });
      for (const { metadata } of items) await client.delete(ConfigMap, { namespace: 'default', name: metadata.name });
    }
  });

  const createConfigMap = async (plane: ControlPlane, name: string) => {
    await clients.get(plane)?.create(ConfigMap, { metadata: { namespace: 'default', name } });
  };

  const phase = async (name: string, ...expected: ClusterPhase[]) => {
    const left = new AbortController();
    const changes = manager.fleet.changes(left.signal);
    const isThere = () => expected.some((each) => manager.fleet.get(name)?.phase === each);
    if (!isThere()) for await (const _ of changes) if (isThere()) break;
    left.abort();
  };

  const reconcile = (key: string) =>
    new Promise<void>((resolve) => {
      onReconcile = () => {
        if (reconciled.includes(key)) resolve();
      };
      onReconcile();
    });

  it('MG-2: reconciles the members, and returns each by its name and the hub by ""', async () => {
    const [one, two] = members;
    await createConfigMap(one, 'there-before');
    provider.set('one', createCluster(one.config, { name: 'one' }));
    provider.set('two', createCluster(two.config, { name: 'two' }));
    await reconcile('one/there-before');
    await phase('two', 'Engaged');
    await createConfigMap(two, 'comes-later');
    await reconcile('two/comes-later');

    const { client } = (await manager.getManager('two')).cluster;
    const { metadata } = await client.get(ConfigMap, { namespace: 'default', name: 'comes-later' });
    expect(metadata.name).toBe('comes-later');
    const hub = await manager.getCluster(LOCAL_CLUSTER);
    expect(await hub.client.find(ConfigMap, { namespace: 'default', name: 'comes-later' })).toBeUndefined();
    expect(hub.config.server).toBe(fleet.hub.config.server);
    await expect(manager.getCluster('three')).rejects.toThrow('cluster "three" is not engaged');
  });

  it('CL-3: rotates credentials without a relist, a missed event or an extra reconcile', async () => {
    const [one] = members;
    const [old, next] = [await one.issueToken(), await one.issueToken()];
    await createConfigMap(one, 'before');
    provider.set('one', createCluster(old.config, { name: 'one' }));
    await reconcile('one/before');
    await phase('one', 'Engaged');
    const cluster = await manager.getCluster('one');

    provider.set('one', createCluster(next.config, { name: 'one' }));
    await one.revokeToken(old);
    // The watch also has to resume with the new token from where the previous one ended.
    await one.endWatches();
    await createConfigMap(one, 'after');
    await reconcile('one/after');
    expect(await manager.getCluster('one')).toBe(cluster);
    expect(reconciled.filter((key) => key === 'one/before')).toHaveLength(1);
  });

  it('CL-3: reconciles the objects of another cluster that takes the name', async () => {
    const [one, two] = members;
    await createConfigMap(one, 'of-one');
    await createConfigMap(two, 'of-two');
    provider.set('x', createCluster(one.config, { name: 'x' }));
    await reconcile('x/of-one');
    provider.set('x', createCluster(two.config, { name: 'x' }));
    await reconcile('x/of-two');
    await createConfigMap(one, 'unseen');
    await createConfigMap(two, 'seen');
    await reconcile('x/seen');
    expect(reconciled).not.toContain('x/unseen');
  });

  it('CL-6: a removal wins over an engagement in progress', async () => {
    const [one] = members;
    provider.set('one', createCluster(one.config, { name: 'one' }));
    await phase('one', 'Connecting', 'Syncing', 'Engaged');
    await provider.delete('one', { reason: 'it was not meant' });
    expect(manager.fleet.get('one')).toMatchObject({ phase: 'Disengaged', reason: 'it was not meant' });
    await expect(manager.getCluster('one')).rejects.toThrow('not engaged');
  });

  describe('with members that do not answer', () => {
    let blackHole: Server;
    let sockets: Socket[];
    let dead: Cluster[];

    beforeEach(async () => {
      sockets = [];
      // Accepts connections and never responds.
      blackHole = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
      await once(blackHole.listen(0, '127.0.0.1'), 'listening');
      const { port } = blackHole.address() as AddressInfo;
      dead = Array.from({ length: 40 }, () => createCluster({ server: `https://127.0.0.1:${port}` }));
    });

    afterEach(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => blackHole.close(resolve));
    });

    it('CL-8: engages the others, reports why these are not engaged, and stops with all of them', async () => {
      const [one, two] = members;
      for (const [i, cluster] of dead.entries()) provider.set(`dead-${i}`, cluster);
      provider.set('refused', createCluster({ server: 'https://127.0.0.1:1' }, { name: 'refused' }));
      provider.set('one', createCluster(one.config, { name: 'one' }));
      provider.set('two', createCluster(two.config, { name: 'two' }));
      await Promise.all([phase('one', 'Engaged'), phase('two', 'Engaged'), phase('refused', 'Unreachable')]);
      expect(manager.fleet.get('dead-0')?.phase).toBe('Connecting');
      expect(manager.fleet.get('refused')?.reason).toBe(
        'cluster "refused" does not answer: 127.0.0.1:1: connection refused',
      );
      await createConfigMap(one, 'reconciled');
      await reconcile('one/reconciled');
    });
  });
});
