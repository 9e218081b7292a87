import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient, ClusterConfig, ClusterName, ObjectKey, Reader } from '@mcr/core';
import { ConfigMap, isAlreadyExists, isNotFound, LOCAL_CLUSTER, Namespace } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import { createFaultProxy, type FaultProxy, Random } from '@mcr/envtest';
import { Copier } from './copier.ts';
import { choose, nextFault } from './random-faults.ts';

const STEPS = 14;
const NAMES = ['a', 'b', 'c', 'd'];
/** Pauses between two steps, in milliseconds: the controller notices nothing, a part or all of the previous step. */
const PAUSES = [0, 0, 2, 10, 40];
/** Maximum time from the end of the faults until the clusters match, in ticks of the controller's clock. */
const QUIET = 6_000;

/** The servers that all schedules share. Each schedule has a namespace of its own. */
export interface World {
  /** Control planes by cluster name; `''` is the hub. */
  readonly planes: ReadonlyMap<ClusterName, ControlPlane>;
  /** Clients that bypass the fault proxies. */
  readonly clients: ReadonlyMap<ClusterName, ApiClient>;
}

export interface Outcome {
  /** Content of the clusters at the end. */
  readonly state: string;
  /** The steps, to explain a failure. */
  readonly story: readonly string[];
}

/**
 * Runs one schedule: changes in all clusters and, unless `faults` is `none`, faults at every boundary; then a quiet
 * period.
 *
 * @throws {Error} that lists the steps, if the clusters do not match by the end of the quiet period.
 */
export async function play(world: World, seed: number, faults: 'seeded' | 'none'): Promise<Outcome> {
  // Separate generators, so that the changes are the same with and without faults.
  const [random, chance] = [new Random(seed), new Random(~seed)];
  const namespace = `${faults}-${seed}`;
  const story: string[] = [];
  await Promise.all(
    [...world.clients.values()].map((client) => client.create(Namespace, { metadata: { name: namespace } })),
  );
  await using proxies = await Proxies.before(world, seed);
  const { [LOCAL_CLUSTER]: hub, ...members } = Object.fromEntries(proxies.configs);
  if (!hub) throw new Error('the world has no hub');
  await using copier = await Copier.start({ hub, members: new Map(Object.entries(members)), namespace });
  for (let step = 0; step < STEPS; step++) {
    if (faults === 'seeded' && chance.next() < 0.7) story.push(proxies.inject(chance));
    if (faults === 'seeded' && chance.next() < 0.15) story.push(proxies.heal());
    story.push(await change(world, namespace, random, step));
    await sleep(choose(random, PAUSES));
  }
  story.push(proxies.heal());
  try {
    await untilSettled(world, copier, namespace);
  } catch (cause) {
    throw new Error(`${(cause as Error).message}\n  after ${story.join('\n  ')}`, { cause });
  }
  return { state: await stateOf(world, LOCAL_CLUSTER, namespace), story };
}

/** Makes a change as another writer. */
async function change({ clients }: World, namespace: string, random: Random, step: number): Promise<string> {
  const where = random.next() < 0.7 ? LOCAL_CLUSTER : choose(random, [...clients.keys()]);
  const client = clients.get(where);
  if (!client) throw new Error(`the world has no cluster ${where}`);
  const key = { namespace, name: choose(random, NAMES) };
  const subject = `${key.name} in ${where || 'the hub'}`;
  if (random.next() < 0.35) {
    await client.delete(ConfigMap, key).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    return `delete ${subject}`;
  }
  await put(client, key, { step: String(step) });
  return `put ${subject}`;
}

/** The controller may create or delete the same object concurrently. */
async function put(client: ApiClient, key: Required<ObjectKey>, data: Readonly<Record<string, string>>): Promise<void> {
  for (;;) {
    try {
      await client.patch(ConfigMap, key, { data }, 'merge');
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    try {
      await client.create(ConfigMap, { metadata: key, data });
      return;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

/** @throws {Error} that names the problem, if one remains at the end of the quiet period. */
async function untilSettled(world: World, copier: Copier, namespace: string): Promise<void> {
  const { clock } = copier;
  clock.startLeaping();
  const end = clock.ticks + QUIET;
  try {
    for (;;) {
      const problem = await problemOf(world, copier, namespace);
      if (problem === '') return;
      if (clock.ticks > end) throw new Error(`not settled within ${QUIET} ticks: ${problem}`);
      await sleep(10);
    }
  } finally {
    // The controller stops next: a leap would end its grace period, however fast it stops.
    clock.stopLeaping();
  }
}

async function problemOf(world: World, copier: Copier, namespace: string): Promise<string> {
  const wanted = await stateOf(world, LOCAL_CLUSTER, namespace);
  for (const name of world.planes.keys()) {
    const state = await stateOf(world, name, namespace);
    if (state !== wanted) return `${name} has ${state}, the hub has ${wanted}`;
    const cached = await copier
      .cluster(name)
      .then(({ client }) => versions(client, namespace))
      .catch(String);
    const served = await versions(clientOf(world, name), namespace);
    if (cached !== served) return `the cache of ${name} has ${cached}, its server has ${served}`;
  }
  return '';
}

async function stateOf(world: World, name: ClusterName, namespace: string): Promise<string> {
  const { items } = await clientOf(world, name).list(ConfigMap, { namespace });
  return JSON.stringify(items.map(({ metadata, data }) => [metadata.name, data ?? {}]).sort());
}

async function versions(reader: Reader, namespace: string): Promise<string> {
  const { items } = await reader.list(ConfigMap, { namespace });
  return items
    .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
    .sort()
    .join();
}

function clientOf({ clients }: World, name: ClusterName): ApiClient {
  const client = clients.get(name);
  if (!client) throw new Error(`the world has no cluster ${name}`);
  return client;
}

/** A fault proxy in front of each cluster. */
class Proxies implements AsyncDisposable {
  readonly #proxies: ReadonlyMap<ClusterName, FaultProxy>;

  private constructor(proxies: ReadonlyMap<ClusterName, FaultProxy>) {
    this.#proxies = proxies;
  }

  static async before({ planes }: World, seed: number): Promise<Proxies> {
    const start = async ([name, { config }]: [ClusterName, ControlPlane]) =>
      [name, await createFaultProxy({ target: config, seed })] as const;
    return new Proxies(new Map(await Promise.all([...planes].map(start))));
  }

  get configs(): ReadonlyMap<ClusterName, ClusterConfig> {
    return new Map([...this.#proxies].map(([name, { config }]) => [name, config]));
  }

  inject(random: Random): string {
    const [name, proxy] = choose(random, [...this.#proxies]);
    const rule = nextFault(random);
    proxy.inject(rule);
    const { on, fault, when } = rule;
    const match = 'match' in rule ? ` ${JSON.stringify({ ...rule.match, path: String(rule.match?.path ?? '') })}` : '';
    return `inject ${on}${match} at ${name || 'the hub'}: ${JSON.stringify(fault)} when ${JSON.stringify(when)}`;
  }

  heal(): string {
    for (const proxy of this.#proxies.values()) proxy.heal();
    return 'heal';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#proxies.values()].map((proxy) => proxy.stop()));
  }
}
