import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ApiClient, KubernetesObject } from '@mcr/client';
import { ConfigMap, createClient, defineKind, silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { createCluster } from '../../fleet/cluster/create-cluster.ts';
import { LOCAL_CLUSTER } from '../../fleet/multicluster/cluster-name.ts';
import { createManager } from '../../manager/create-manager.ts';
import type { Manager } from '../../manager/manager.ts';
import { InMemoryProvider } from '../../provider/in-memory-provider.ts';
import { controllerManagedBy } from '../builder/builder.ts';
import { desired } from './placement-options.ts';

interface Stall extends KubernetesObject {
  spec: { colour: string };
  status?: { conditions?: { type: string; status: string; message: string; observedGeneration: number }[] };
}
const Stall = defineKind<Stall>({
  apiVersion: 'shop.example.com/v1',
  kind: 'Stall',
  plural: 'stalls',
  scope: 'Namespaced',
});

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'stalls.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { kind: 'Stall', plural: 'stalls' },
    versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
  },
};

/** Step of the virtual time. Each waits for a request, so that time does not pass faster than the API servers answer. */
const STEP = 500;
/** Maximum virtual time of a step of the test, in milliseconds. */
const LIMIT = 60_000;

/** A replica of the program, and the names of the owners whose status or finalizers it wrote. */
interface Replica {
  readonly id: string;
  readonly written: string[];
  owns(name: string): boolean;
  stop(): Promise<void>;
}

describe('a placement in a sharded fleet', () => {
  const clock = new VirtualClock(Date.now());
  let fleet: ControlPlaneFleet;
  let hub: ApiClient;
  let members: ApiClient[];
  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 4, crds: [definition] });
    hub = createClient(fleet.hub.config);
    members = fleet.members.map(({ config }) => createClient(config));
  });
  afterAll(async () => {
    for (const client of [hub, ...members]) await client.close();
    await fleet.stop();
  });

  const key = (name: string) => ({ namespace: 'default', name });
  const until = async (what: string, condition: () => Promise<boolean> | boolean) => {
    for (let time = 0; !(await condition()); time += STEP) {
      if (time > LIMIT) throw new Error(`not within ${LIMIT} ms: ${what}`);
      await hub.find(ConfigMap, key('none'));
      await clock.advance(STEP);
    }
  };
  const paint = (name: string, colour: string) => hub.patch(Stall, key(name), { spec: { colour } }, 'merge');
  const isPlaced = async (name: string) => {
    const { metadata, status } = await hub.get(Stall, key(name));
    const found = status?.conditions?.find(({ type }) => type === 'Placed');
    return (
      found?.status === 'True' && found.observedGeneration === metadata.generation && found.message.startsWith('4 of')
    );
  };
  /** The versions of an owner and of its objects in the members. */
  const versions = async (name: string) => {
    const copies = members.map((client) => client.get(ConfigMap, key(name)));
    return [await hub.get(Stall, key(name)), ...(await Promise.all(copies))].map(
      ({ metadata }) => metadata.resourceVersion,
    );
  };

  async function start(id: string): Promise<Replica> {
    const provider = new InMemoryProvider({ clock });
    for (const { name, config } of fleet.members) provider.set(name, () => createCluster(config, { name, clock }));
    const manager: Manager = await createManager({
      ...{ config: fleet.hub.config, provider, clock },
      sharding: { name: 'stalls', namespace: 'default', replicaId: id },
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    const written: string[] = [];
    const { client } = manager.localManager.cluster;
    const { status } = client;
    const [apply, patch] = [status.apply.bind(status), client.patch.bind(client)];
    jest.spyOn(status, 'apply').mockImplementation(async (...call) => {
      written.push(call[1].metadata.name);
      return apply(...call);
    });
    jest.spyOn(client, 'patch').mockImplementation(async (...call) => {
      if (call[0].kind === Stall.kind) written.push(call[1].name);
      return patch(...call);
    });
    await controllerManagedBy(manager)
      .named('stalls')
      .places(Stall, {
        clusters: () => true,
        kinds: [ConfigMap],
        statusInterval: 100,
        objects: ({ metadata: { name }, spec: { colour } }) => [
          desired(ConfigMap, { metadata: key(name), data: { colour } }),
        ],
      });
    const end = new AbortController();
    const running = manager.start(end.signal);
    return {
      id,
      written,
      owns: (name) => manager.ownership?.stateOf(name) === 'active',
      stop: async () => {
        end.abort();
        let isStopped = false;
        void running.finally(() => (isStopped = true));
        await until(`${id} stops`, () => isStopped);
        await running;
      },
    };
  }

  it('FP-4, SH-5: has the status of an owner written by one replica, and writes nothing when clusters and owners are handed over', async () => {
    const a = await start('a');
    for (const name of ['kept', 'painted']) await hub.create(Stall, { metadata: key(name), spec: { colour: 'red' } });
    await until('a places', async () => (await isPlaced('kept')) && (await isPlaced('painted')));
    const before = await versions('kept');

    const b = await start('b');
    const owned = (replica: Replica) => fleet.members.filter(({ name }) => replica.owns(name));
    await until('b owns half', () => owned(b).length === 2 && owned(a).length === 2);
    const [first, second] = a.owns(LOCAL_CLUSTER) ? [a, b] : [b, a];
    expect(second.owns(LOCAL_CLUSTER)).toBe(false);
    for (const { written } of [a, b]) written.splice(0);
    for (const colour of ['green', 'blue', 'pink']) {
      await paint('painted', colour);
      await until(`it is ${colour}`, () => isPlaced('painted'));
    }
    expect(new Set(first.written)).toEqual(new Set(['painted']));
    expect(second.written).toEqual([]);

    await first.stop();
    await until('the other replica owns all', () => second.owns(LOCAL_CLUSTER) && owned(second).length === 4);
    first.written.splice(0);
    await paint('painted', 'white');
    await until('it is white', () => isPlaced('painted'));
    expect([new Set(second.written), first.written]).toEqual([new Set(['painted']), []]);
    expect(await versions('kept')).toEqual(before);
    await second.stop();
  });
});
