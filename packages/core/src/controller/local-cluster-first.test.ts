import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigMap, Secret } from '@mcr/client';
import { enqueueRequestForObject } from './handler/enqueue-object.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import { LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { kindSource } from './source/kind-source.ts';
import type { Controller } from './controller.ts';
import { createController } from './create-controller.ts';
import { FakeManager } from './fake-manager.fixture.ts';
import { FakeMember } from './fake-member.fixture.ts';

const inLocal = (name: ClusterName) => name === LOCAL_CLUSTER;
const inMembers = (name: ClusterName) => name !== LOCAL_CLUSTER;

describe('a controller of the local cluster and of members', () => {
  let fake: FakeManager;
  let controller: Controller;
  let seen: string[];
  let stop: AbortController;
  let ended: Promise<void>;
  let member: FakeMember;

  beforeEach(async () => {
    fake = new FakeManager();
    seen = [];
    controller = createController('test', fake.manager, {
      reconciler: async ({ clusterName, name }) => void seen.push(`${clusterName}/${name}`),
      cacheSyncTimeout: 10_000,
    });
    await controller.watch(kindSource(ConfigMap, enqueueRequestForObject(), { clusterFilter: inMembers }));
    await controller.watch(kindSource(Secret, enqueueRequestForObject(), { clusterFilter: inLocal }));
    stop = new AbortController();
    ended = controller.run(stop.signal);
    member = FakeMember.synced(ConfigMap);
    member.informer(ConfigMap).set({ name: 'x' });
    await controller.engage('eu-1', member, stop.signal);
    await fake.settle();
  });

  afterEach(async () => {
    stop.abort();
    await ended;
    expect(fake.clock.pendingTimers).toBe(0);
  });

  it('CT-18: reconciles nothing before the sources of the local cluster have delivered their objects', async () => {
    expect(seen).toEqual([]);
    const local = new FakeMember();
    local.informer(Secret).set({ name: 'y' });
    await controller.engage(LOCAL_CLUSTER, local, stop.signal);
    await fake.settle();
    expect(seen).toEqual([]);
    local.informer(Secret).sync();
    await fake.settle();
    expect(seen.toSorted()).toEqual(['/y', 'eu-1/x']);
  });

  it('CT-5, CT-18: does not wait for a kind that the local cluster does not serve', async () => {
    const local = new FakeMember();
    local.missing.add('v1 Secret');
    await controller.engage(LOCAL_CLUSTER, local, stop.signal);
    await fake.settle();
    expect(seen).toEqual(['eu-1/x']);
  });

  it('F-18, CT-18: starts without the local cluster after cacheSyncTimeout, and logs it', async () => {
    await fake.clock.advance(9_999);
    expect(seen).toEqual([]);
    await fake.clock.advance(1);
    expect(seen).toEqual(['eu-1/x']);
    expect(fake.lines.map(({ message }) => message)).toContain(
      'local cluster did not sync in time, reconciling without it',
    );
  });

  it('stops while it waits', async () => {
    stop.abort();
    await ended;
    expect(seen).toEqual([]);
  });
});
