import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient, Cluster, Kind, KubernetesObject } from '@mcr/core';
import { ConfigMap, createClient, createCluster, Namespace } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import { createFaultProxy, type FaultProxy, createControlPlane } from '@mcr/envtest';
import type { Scenario } from './scenario.ts';
import { CustomResourceDefinition, WholeWidget, Widget, widgetDefinition } from './widget.ts';

/** Interval of the checks whether the server answers and the cache is current, in milliseconds. */
const POLL = 10;
/** Deadline of a measurement, in milliseconds. */
const DEADLINE = 120_000;
const scenes = { restart, compaction, rotation, crd } as const;

/**
 * P-18: from "the API server answers again" to "caches are current". Uses real API servers if `$KUBEBUILDER_ASSETS` is
 * set.
 */
export const recoveryAfterOutage: Scenario = {
  id: 'P-18',
  title: 'from "the API server answers again" to "caches are current", after 20 s and after 75 s',
  unit: 'ms',
  goal: '≤ 2,000 ms after 20 s, ≤ 10,000 ms after 75 s: restart, compaction, rotation, CRD reinstalled',
  isMet: ({ detail }) => Object.keys(scenes).every((name) => detail(name) <= 2_000 && detail(`${name}Long`) <= 10_000),

  async measure(size) {
    const [short, long] = size === 'full' ? [20_000, 75_000] : [500, 1_000];
    const folder = await mkdtemp(join(tmpdir(), 'mcr-recovery-'));
    const plane = await createControlPlane({ dataDir: join(folder, 'data') });
    try {
      const details: Record<string, number> = {};
      for (const [suffix, outage] of [
        ['', short],
        ['Long', long],
      ] as const) {
        for (const [name, scene] of Object.entries(scenes)) {
          await using member = await Member.of(plane);
          details[name + suffix] = await scene(member, outage);
        }
      }
      return { value: details['restart'] ?? NaN, floor: null, details };
    } finally {
      await plane.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function restart(member: Member, outage: number): Promise<number> {
  await member.moveOn();
  await member.plane.kill();
  await sleep(outage);
  const restarted = member.plane.restart();
  await until(() => member.canWrite('after-restart'));
  const time = await member.timeUntilCached('after-restart');
  await restarted;
  return time;
}

async function compaction(member: Member, outage: number): Promise<number> {
  const cut = member.proxy.inject({ on: 'connections', fault: { type: 'refuse' } });
  member.cutConnections();
  await member.write('while-cut-off');
  await member.plane.compact();
  await sleep(outage);
  cut.remove();
  return member.timeUntilCached('while-cut-off');
}

async function rotation(member: Member, outage: number): Promise<number> {
  const rotate = async (): Promise<ControlPlane['config']> => {
    const { config } = await member.plane.issueToken();
    await member.cluster.rotate({ ...config, server: member.proxy.config.server, tls: member.proxy.config.tls ?? {} });
    return config;
  };
  const config = await rotate();
  await member.plane.revokeToken({ config });
  member.cutConnections();
  await member.write('while-revoked');
  await member.plane.compact();
  await sleep(outage);
  await rotate();
  return member.timeUntilCached('while-revoked');
}

async function crd(member: Member, outage: number): Promise<number> {
  const { direct } = member;
  let time = NaN;
  for (const name of ['installed', 'reinstalled']) {
    await direct.create(CustomResourceDefinition, widgetDefinition);
    // Each with a different name: the cache may hold the first one until it sees the kind again.
    await until(() => member.canWrite(name, WholeWidget));
    time = await member.timeUntilCached(name, Widget);
    await direct.delete(CustomResourceDefinition, widgetDefinition.metadata);
    await until(async () => !(await direct.find(CustomResourceDefinition, widgetDefinition.metadata)));
    if (name === 'installed') await sleep(outage);
  }
  return time;
}

/** A control plane, and a cluster that reaches it through a network that can fail. */
class Member implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly proxy: FaultProxy;
  readonly cluster: Cluster;
  /** A client that bypasses the failing network. */
  readonly direct: ApiClient;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;

  private constructor(plane: ControlPlane, proxy: FaultProxy) {
    this.plane = plane;
    this.proxy = proxy;
    this.cluster = createCluster(proxy.config);
    this.direct = createClient(plane.config);
    this.#running = this.cluster.run(this.#end.signal);
  }

  static async of(plane: ControlPlane): Promise<Member> {
    const member = new Member(plane, await createFaultProxy({ target: plane.config }));
    await member.write('before');
    await member.timeUntilCached('before');
    return member;
  }

  write(name: string, kind: Kind<KubernetesObject> = ConfigMap): Promise<unknown> {
    return this.direct.create(kind, { metadata: { namespace: 'default', name } }, { retry: 'never' });
  }

  /** Reports whether the object could be written. */
  async canWrite(name: string, kind?: Kind<KubernetesObject>): Promise<boolean> {
    return this.write(name, kind).then(
      () => true,
      () => false,
    );
  }

  /** Changes another object, so that the watched version is not the server's latest. */
  async moveOn(): Promise<void> {
    await this.direct.create(Namespace, { metadata: { generateName: 'room-' } });
  }

  cutConnections(): void {
    this.proxy.inject({ on: 'connections', fault: { type: 'reset' } }).remove();
  }

  async timeUntilCached(name: string, kind: Kind<KubernetesObject> = ConfigMap): Promise<number> {
    const started = performance.now();
    const { store } = await this.cluster.cache.informer(kind);
    await until(() => store.get({ namespace: 'default', name }) !== undefined);
    return performance.now() - started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#running;
    await this.direct.deleteCollection(ConfigMap, { namespace: 'default' });
    await this.direct.close();
    await this.proxy.stop();
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`condition not met within ${DEADLINE} ms: ${condition.toString()}`);
    await sleep(POLL);
  }
}
