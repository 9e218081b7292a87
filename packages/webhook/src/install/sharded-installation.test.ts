import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/core';
import { ConfigMap, createClient, LOCAL_CLUSTER } from '@mcr/core';
import { VirtualClock } from '@mcr/core/testing';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { RunningWebhooks } from '../server/server.fixture.ts';
import { Journal, Replica } from './sharded-fleet.fixture.ts';

const SECOND = 1_000;
/** Step of the virtual time. Each waits for a request, so that time does not pass faster than the API server answers. */
const STEP = 500;
/** Maximum virtual time of a step of the test. */
const LIMIT = 60 * SECOND;
const REMOVAL_DELAY = 3 * SECOND;

describe('installWebhooks in a sharded fleet', () => {
  let fleet: ControlPlaneFleet;
  let hub: ApiClient;
  let files: RunningWebhooks;
  let a: Replica;
  let b: Replica;
  /** Its time is that of all replicas. */
  const clock = new VirtualClock(Date.now());
  /** Keys are names of clusters. */
  const journals = new Map<string, Journal>();

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 4 });
    hub = createClient(fleet.hub.config);
    files = await RunningWebhooks.start({});
    journals.set(LOCAL_CLUSTER, new Journal(fleet.hub));
    for (const plane of fleet.members) journals.set(plane.name, new Journal(plane));
  });
  afterAll(async () => {
    for (const journal of journals.values()) await journal[Symbol.asyncDispose]();
    await files[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
    await fleet.stop();
  });

  const start = (id: string, group: string, removalDelay = REMOVAL_DELAY) =>
    Replica.start(id, {
      ...{ fleet, clock, certDir: files.certDir },
      sharding: { name: group },
      install: { checkInterval: SECOND, removalDelay },
    });
  const pass = async (time: number) => {
    for (let rest = time; rest > 0; rest -= STEP) {
      await hub.find(ConfigMap, { namespace: 'default', name: 'none' });
      await clock.advance(STEP);
    }
  };
  const until = async (what: string, condition: () => boolean) => {
    for (let time = 0; !condition(); time += STEP) {
      if (time > LIMIT) throw new Error(`not within ${LIMIT} ms: ${what}: ${JSON.stringify(changes())}`);
      await pass(STEP);
    }
  };
  const stop = async (replica: Replica) => {
    let isStopped = false;
    const stopped = replica.stop().finally(() => (isStopped = true));
    await until(`${replica.id} stops`, () => isStopped);
    await stopped;
  };
  const members = () => fleet.members.map(({ name }) => name);
  /** The changes of each cluster, of those that have some. */
  const changes = (): Record<string, readonly string[]> => {
    const changed = [...journals].filter(([, { entries }]) => entries.length > 0);
    return Object.fromEntries(changed.map(([name, { entries }]) => [name, entries]));
  };
  const last = (name: string) => journals.get(name)?.entries.at(-1);
  /** Whether the owner of each cluster is the last one that wrote its configurations. */
  const haveOwners = (replicas: readonly Replica[], names: Iterable<string> = journals.keys()) =>
    [...names].every((name) => {
      const owner = replicas.find((replica) => replica.owns(name));
      return owner && owner.id === last(name);
    });
  /** Forgets the previous entries. */
  const clear = () => {
    for (const { entries } of journals.values()) entries.splice(0);
  };

  it('WH-4: has each cluster written by its owner alone, without a gap when a cluster moves to another replica', async () => {
    a = await start('a', 'carts');
    await until('a installs everywhere', () => haveOwners([a]));
    b = await start('b', 'carts');
    await until('b owns half', () => members().filter((name) => b.owns(name)).length === 2);
    await until('each owner has installed', () => haveOwners([a, b]));
    const moved = [...journals.keys()].filter((name) => b.owns(name));
    await pass(2 * REMOVAL_DELAY);
    expect(changes()).toEqual(
      Object.fromEntries([...journals.keys()].map((name) => [name, moved.includes(name) ? ['a', 'b'] : ['a']])),
    );
  });

  it('WH-4: removes the configurations of a cluster that leaves once, in any replica, and installs them again when it is back', async () => {
    clear();
    const leaving = fleet.members.filter(
      ({ name }, index) => b.owns(name) || index === members().findIndex((each) => a.owns(each)),
    );
    for (const { name } of leaving) for (const { provider } of [a, b]) void provider.delete(name);
    const names = leaving.map(({ name }) => name);
    await until('they are removed', () => names.every((name) => last(name) === 'deleted'));
    await pass(REMOVAL_DELAY);
    const { length } = names;
    expect(names.map((name) => journals.get(name)?.entries)).toEqual(Array.from({ length }, () => ['deleted']));
    // The clusters that remain may move to another replica, because the load of each has changed.
    expect(
      Object.values(changes())
        .flat()
        .filter((entry) => entry === 'deleted'),
    ).toHaveLength(length);
    for (const plane of leaving) for (const replica of [a, b]) replica.join(plane);
    await until('they are back', () => haveOwners([a, b], names));
  });

  it('WH-4: leaves no gap when the owner of clusters stops, and keeps all configurations when the last replica stops', async () => {
    // Clusters may still move, because they have just come back.
    await pass(10 * SECOND);
    clear();
    const moving = [...journals.keys()].filter((name) => b.owns(name));
    await stop(b);
    await until('the other replica has installed', () => haveOwners([a], moving));
    await pass(2 * REMOVAL_DELAY);
    const expected = Object.fromEntries(moving.map((name) => [name, ['a']]));
    expect(changes()).toEqual(expected);
    await stop(a);
    expect(changes()).toEqual(expected);
  });

  it('WH-4: removes the configurations of a cluster that leaves while it moves to another replica', async () => {
    a = await start('c', 'other', 30 * SECOND);
    await until('it installs everywhere', () => haveOwners([a]));
    clear();
    for (const name of members()) void a.provider.delete(name);
    b = await start('d', 'other');
    for (const name of members()) void b.provider.delete(name);
    await until('clusters move', () => members().some((name) => b.owns(name)));
    expect(Object.values(changes()).flat()).not.toContain('deleted');
    await until('all are removed', () => members().every((name) => last(name) === 'deleted'));
    await stop(b);
    await stop(a);
  });
});
