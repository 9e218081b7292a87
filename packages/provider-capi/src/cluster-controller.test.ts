import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient, Clock, Logger } from '@mcr/core';
import {
  createClient,
  createManager,
  CustomResourceDefinition,
  Namespace,
  Secret,
  silentLogger,
  systemClock,
} from '@mcr/core';
import { eventually, VirtualClock } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import type { ActuatedCluster, ClusterActuator } from './actuator.ts';
import type { ClusterControllerOptions } from './cluster-controller.ts';
import { CLUSTER_FINALIZER, createClusterController } from './cluster-controller.ts';
import { ClusterResource } from './cluster-resource.ts';
import { clusterDefinition } from './manifests.fixture.ts';

/** An actuator that records its calls, and returns what the test sets. */
class FakeActuator implements ClusterActuator {
  readonly calls: string[] = [];
  failure: Error | undefined;
  isGone = true;
  answer: ActuatedCluster | undefined;

  async reconcile({ metadata, spec }: ClusterResource): Promise<ActuatedCluster | void> {
    this.calls.push(`reconcile ${metadata.name} ${metadata.finalizers?.join()} ${JSON.stringify(spec?.providerSpec)}`);
    if (this.failure) throw this.failure;
    return this.answer;
  }

  async delete({ metadata }: ClusterResource): Promise<boolean> {
    this.calls.push(`delete ${metadata.name}`);
    if (this.failure) throw this.failure;
    return this.isGone;
  }
}

let plane: ControlPlane;
let hub: ApiClient;
let actuator: FakeActuator;
let namespace: string;
let number = 0;
let stop: () => Promise<void>;

beforeAll(async () => {
  plane = await createControlPlane();
  hub = createClient(plane.config);
  await hub.create(CustomResourceDefinition, clusterDefinition as never);
});

afterAll(async () => {
  await hub.close();
  await plane.stop();
});

beforeEach(async () => {
  namespace = `ns-${number++}`;
  await hub.create(Namespace, { metadata: { name: namespace } });
  actuator = new FakeActuator();
});

afterEach(() => stop());

async function run(
  options: ClusterControllerOptions = {},
  {
    actuators = [actuator],
    logger = silentLogger,
    clock = systemClock,
  }: { actuators?: readonly ClusterActuator[]; logger?: Logger; clock?: Clock } = {},
): Promise<void> {
  const manager = await createManager({ config: plane.config, logger, clock, metrics: { bindAddress: '0' } });
  for (const [index, each] of actuators.entries()) {
    const selector = actuators.length > 1 && { name: `actuator-${index}`, labelSelector: `actuator=${index}` };
    await createClusterController(manager, each, { namespace, ...selector, ...options });
  }
  const end = new AbortController();
  const started = manager.start(end.signal);
  stop = async () => {
    end.abort();
    await started;
  };
}

const create = (providerSpec: object = { value: { size: 1 } }) =>
  hub.create(ClusterResource, { metadata: { namespace, name: 'eu-1' }, spec: { providerSpec } });
const key = () => ({ namespace, name: 'eu-1' });
const read = () => hub.get(ClusterResource, key());

describe('createClusterController', () => {
  it('CA-4: adds the finalizer before the actuator is called, and calls it at each change of the spec', async () => {
    await run();
    await create();
    const first = `reconcile eu-1 ${CLUSTER_FINALIZER} {"value":{"size":1}}`;
    await eventually(() => expect(actuator.calls).toEqual([first]));
    expect((await read()).metadata.finalizers).toEqual([CLUSTER_FINALIZER]);
    await hub.patch(ClusterResource, key(), { metadata: { labels: { a: '1' } } }, 'merge');
    await hub.patch(ClusterResource, key(), { spec: { providerSpec: { value: { size: 2 } } } }, 'merge');
    const second = `reconcile eu-1 ${CLUSTER_FINALIZER} {"value":{"size":2}}`;
    await eventually(() => expect(actuator.calls).toEqual([first, second]));
  });

  it('CA-4: calls the actuator again every resync period', async () => {
    await run({ resync: 50 });
    await create();
    await eventually(() => expect(actuator.calls.length).toBeGreaterThan(3));
  });

  it('CA-4: writes the result of the actuator to the status and the Secret', async () => {
    actuator.answer = {
      apiEndpoints: [{ host: '10.0.0.1', port: 6443 }],
      kubeconfig: 'a kubeconfig',
      providerStatus: { machines: 3 },
    };
    await run();
    await create();
    await eventually(async () =>
      expect((await read()).status).toEqual({
        apiEndpoints: [{ host: '10.0.0.1', port: 6443 }],
        providerStatus: { machines: 3 },
      }),
    );
    const secret = await hub.get(Secret, { namespace, name: 'eu-1-kubeconfig' });
    expect(Buffer.from(secret.data?.['value'] ?? '', 'base64').toString()).toBe('a kubeconfig');
    expect(secret.metadata).toMatchObject({
      labels: { 'cluster.k8s.io/cluster-name': 'eu-1' },
      ownerReferences: [{ kind: 'Cluster', name: 'eu-1', controller: true }],
    });
  });

  it('CA-4: an error is written to the status, retried, and cleared on success', async () => {
    actuator.failure = Object.assign(new Error('no quota for machines'), { reason: 'QuotaExceeded' });
    await run();
    await create();
    await eventually(async () =>
      expect((await read()).status).toEqual({ errorReason: 'QuotaExceeded', errorMessage: 'no quota for machines' }),
    );
    actuator.failure = new Error('x'.repeat(5_000));
    await eventually(async () => {
      const { status } = await read();
      expect(status?.errorReason).toBe('CreateError');
      expect(Buffer.byteLength(status?.errorMessage ?? '')).toBe(1_024);
    });
    actuator.failure = undefined;
    actuator.answer = { apiEndpoints: [{ host: '10.0.0.1', port: 6443 }] };
    await eventually(async () =>
      expect((await read()).status).toEqual({ apiEndpoints: [{ host: '10.0.0.1', port: 6443 }] }),
    );
  });

  it('CA-4: the finalizer of a deleted Cluster is removed after the actuator has deleted the cluster', async () => {
    await run();
    await create();
    await eventually(() => expect(actuator.calls).toHaveLength(1));
    actuator.failure = new Error('the machines are locked');
    await hub.delete(ClusterResource, key());
    await eventually(async () =>
      expect((await read()).status).toEqual({
        errorReason: 'DeleteError',
        errorMessage: 'the machines are locked',
      }),
    );
    actuator.failure = undefined;
    await eventually(async () => expect(await hub.find(ClusterResource, key())).toBeUndefined());
    expect(actuator.calls.filter((call) => call.startsWith('reconcile'))).toHaveLength(1);
  });

  it('CA-4: an actuator that has not finished a deletion is called again, and the Cluster stays until then', async () => {
    actuator.isGone = false;
    const clock = new VirtualClock();
    await run({}, { clock });
    await create();
    await eventually(() => expect(actuator.calls).toHaveLength(1));
    await hub.delete(ClusterResource, key());
    await eventually(() => expect(actuator.calls.at(-1)).toBe('delete eu-1'));
    expect((await read()).metadata.finalizers).toEqual([CLUSTER_FINALIZER]);
    actuator.isGone = true;
    await eventually(async () => {
      await clock.advance(200);
      expect(await hub.find(ClusterResource, key())).toBeUndefined();
    });
  });

  it('CA-4: ignores a Cluster that is being deleted without the finalizer of the controller', async () => {
    await hub.create(ClusterResource, {
      metadata: { namespace, name: 'eu-1', finalizers: ['test.mcr.dev/hold'] },
    });
    await hub.delete(ClusterResource, key());
    await run();
    await hub.create(ClusterResource, { metadata: { namespace, name: 'eu-2' } });
    await eventually(() => expect(actuator.calls).toEqual([`reconcile eu-2 ${CLUSTER_FINALIZER} undefined`]));
    expect((await read()).metadata.finalizers).toEqual(['test.mcr.dev/hold']);
  });

  it('CA-4: an invalid result of the actuator is written to the status', async () => {
    actuator.answer = { apiEndpoints: [{ host: '', port: 'https' }] } as never;
    await run();
    await create();
    await eventually(async () => {
      const { status } = await read();
      expect(status).toMatchObject({ errorReason: 'CreateError' });
      expect(status?.errorMessage).toMatch(/apiEndpoints\[0\]\.host[^]*apiEndpoints\[0\]\.port/);
    });
    actuator.answer = {} as never;
    await eventually(async () => expect((await read()).status?.errorMessage).toMatch(/expected array/));
  });

  it('CA-4: a Secret of another owner is not changed, and the status reports it', async () => {
    const { metadata } = await hub.create(ClusterResource, { metadata: { namespace, name: 'other' } });
    const { apiVersion, kind } = ClusterResource;
    const owner = { apiVersion, kind, name: 'other', uid: metadata.uid, controller: true };
    const secret = { namespace, name: 'eu-1-kubeconfig' };
    await hub.create(Secret, { metadata: { ...secret, ownerReferences: [owner] }, stringData: { value: 'theirs' } });
    actuator.answer = { apiEndpoints: [{ host: '10.0.0.1', port: 6443 }], kubeconfig: 'ours' };
    await run();
    await create();
    await eventually(async () => expect((await read()).status?.errorMessage).toContain('eu-1-kubeconfig'));
    expect((await read()).status).not.toHaveProperty('apiEndpoints');
    expect((await hub.get(Secret, secret)).data).toEqual({ value: Buffer.from('theirs').toString('base64') });
  });

  it('CA-4: a Cluster that was recreated during the deletion is deleted by the actuator, too, before its finalizer is removed', async () => {
    const removals: (string | undefined)[] = [];
    const isGone = Promise.withResolvers<boolean>();
    const slow: ClusterActuator = {
      reconcile: async () => undefined,
      delete: ({ metadata }) => {
        removals.push(metadata.uid);
        return isGone.promise;
      },
    };
    const finalizers = ['test.mcr.dev/hold', CLUSTER_FINALIZER];
    const createHeld = () => hub.create(ClusterResource, { metadata: { ...key(), finalizers } });
    await run({}, { actuators: [slow] });
    const first = await createHeld();
    await hub.delete(ClusterResource, key());
    await eventually(() => expect(removals).toEqual([first.metadata.uid]));
    await hub.patch(ClusterResource, key(), { metadata: { finalizers: null } }, 'merge');
    const second = await createHeld();
    await hub.delete(ClusterResource, key());
    isGone.resolve(true);
    await eventually(() => expect(removals).toEqual([first.metadata.uid, second.metadata.uid]));
    await eventually(async () => expect((await read()).metadata.finalizers).toEqual(['test.mcr.dev/hold']));
  });

  it('CA-4: a result is not written to the status of another Cluster with the same name', async () => {
    const uids: (string | undefined)[] = [];
    const replaced: ClusterActuator = {
      async reconcile({ metadata }) {
        uids.push(metadata.uid);
        if (uids.length > 1) return undefined;
        await hub.delete(ClusterResource, key());
        await hub.patch(ClusterResource, key(), { metadata: { finalizers: null } }, 'merge');
        await create();
        return { apiEndpoints: [{ host: 'eu-1.example.dev', port: 6443 }] };
      },
      delete: async () => true,
    };
    await run({}, { actuators: [replaced] });
    await create();
    await eventually(() => expect(new Set(uids).size).toBe(2));
    expect((await read()).metadata.uid).not.toBe(uids[0]);
    expect((await read()).status).toBeUndefined();
  });

  it('CA-4: an error that cannot be written to the status is logged', async () => {
    const errors: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      error: (_message, fields) => void errors.push((fields?.['error'] as Error | undefined)?.message),
      child: () => logger,
    };
    const vanishing: ClusterActuator = {
      async reconcile() {
        await hub.delete(ClusterResource, key());
        await hub.patch(ClusterResource, key(), { metadata: { finalizers: null } }, 'merge');
        throw new Error('no quota for machines');
      },
      delete: async () => true,
    };
    await run({}, { actuators: [vanishing], logger });
    await create();
    await eventually(() => expect(errors).toContain('no quota for machines'));
  });

  it('CA-4: a Cluster is reconciled by the actuator that selects it, also after its labels change', async () => {
    const other = new FakeActuator();
    await run({ resync: 50 }, { actuators: [actuator, other] });
    await hub.create(ClusterResource, { metadata: { ...key(), labels: { actuator: '0' } } });
    await eventually(() => expect(actuator.calls.length).toBeGreaterThan(2));
    expect(other.calls).toEqual([]);
    await hub.patch(ClusterResource, key(), { metadata: { labels: { actuator: '1' } } }, 'merge');
    await eventually(() => expect(other.calls.length).toBeGreaterThan(2));
    const calls = actuator.calls.length;
    await eventually(() => expect(other.calls.length).toBeGreaterThan(5));
    expect(actuator.calls).toHaveLength(calls);
  });

  it('refuses an unknown option', async () => {
    await run();
    const manager = await createManager({ config: plane.config, logger: silentLogger, metrics: { bindAddress: '0' } });
    await expect(createClusterController(manager, actuator, { resync: -1 })).rejects.toThrow('option "resync"');
    await expect(createClusterController(manager, actuator, { finalizer: 'x' } as never)).rejects.toThrow(
      'unknown option "finalizer"',
    );
  });
});
