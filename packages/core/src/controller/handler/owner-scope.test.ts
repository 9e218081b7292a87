import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubernetesObject, RestMapper, Scope } from '@mcr/client';
import { createClient, defineKind, NoKindMatchError, silentLogger, ConfigMap } from '@mcr/client';
import type { ApiClient } from '@mcr/client';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { controllerManagedBy } from '../builder/builder.ts';
import { Scene } from '../builder/scene.fixture.ts';
import { FakeMember } from '../fake-member.fixture.ts';
import { createManager } from '../../manager/create-manager.ts';
import { createOrUpdate } from '../../objects/mutation/create-or-update.ts';
import { setControllerReference } from '../../objects/owner/owner-reference.ts';
import { eventually } from '../../testing/eventually.ts';
import { objectEvent } from '../event/object-event.ts';
import { enqueueRequestForOwner } from './enqueue-owner.ts';
import { lift } from './for-cluster.ts';

/** A kind without a scope, as defined by users who rely on discovery. */
const Team = defineKind({ apiVersion: 'example.com/v1', kind: 'Team' });

const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Team', name: 'shop', uid: '1', controller: true }];

/** A member with synced ConfigMaps and Teams, whose discovery is controlled by the test. */
class DiscoveredMember extends FakeMember {
  /** Results in order. The last one is repeated. */
  answers: (Error | Scope)[] = ['Cluster'];
  override readonly restMapper = {
    resolve: async () => {
      const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
      if (answer instanceof Error) throw answer;
      return { scope: answer };
    },
  } as unknown as RestMapper;

  constructor() {
    super();
    this.informer(ConfigMap).sync();
    this.informer(Team).sync();
    this.informer(ConfigMap).set({ namespace: 'default', name: 'child' }, { ownerReferences });
  }
}

describe('an owner kind without a scope', () => {
  it('KS-4: has the scope that each cluster serves', async () => {
    const scene = new Scene();
    const [cluster, namespaced] = [new DiscoveredMember(), new DiscoveredMember()];
    namespaced.answers = ['Namespaced'];
    const seen = await scene.run(scene.builder.for(Team).owns(ConfigMap), { cluster, namespaced });
    expect(seen.sort()).toEqual(['cluster://cluster/shop', 'cluster://namespaced/default/shop']);
    await scene.stop();
  });

  it('KS-4: discovery is retried and shown as the failure of the source, and no event is lost', async () => {
    const scene = new Scene();
    const member = new DiscoveredMember();
    member.answers = [new Error('connection refused'), new Error('connection refused'), 'Cluster'];
    expect(await scene.run(scene.builder.for(Team).owns(ConfigMap), { eu: member })).toEqual([]);
    expect(scene.fake.observations.at(-1)).toMatchObject({
      cluster: 'eu',
      source: 'v1 ConfigMap',
      state: 'failed',
      error: {
        message:
          'the scope of the owner kind example.com/v1 Team is unknown: connection refused: fix discovery, or define the kind with its scope',
      },
    });
    member.informer(ConfigMap).set({ namespace: 'default', name: 'late' }, { ownerReferences });
    await scene.fake.clock.advance(60_000);
    expect(scene.fake.observations.at(-1)).toMatchObject({ state: 'synced' });
    expect(new Set(await scene.settle())).toEqual(new Set(['cluster://eu/shop']));
    await scene.stop();
  });

  it('KS-4: has the scope of a replaced definition, and the last known one while the definition is missing', async () => {
    const scene = new Scene();
    const member = new DiscoveredMember();
    await scene.run(scene.builder.for(Team).owns(ConfigMap), { eu: member });
    member.answers = [new NoKindMatchError(Team)];
    member.informer(ConfigMap).set({ namespace: 'default', name: 'child' }, { ownerReferences });
    expect(new Set(await scene.settle())).toEqual(new Set(['cluster://eu/shop']));
    member.answers = ['Namespaced'];
    member.informer(ConfigMap).set({ namespace: 'default', name: 'child' }, { ownerReferences });
    expect(new Set(await scene.settle())).toEqual(new Set(['cluster://eu/default/shop']));
    await scene.stop();
  });

  it('KS-4: no watch starts in a cluster that is disengaged during discovery', async () => {
    const scene = new Scene();
    const member = new DiscoveredMember();
    const answer = Promise.withResolvers<never>();
    Object.assign(member.restMapper, { resolve: () => answer.promise });
    await scene.run(scene.builder.for(Team).owns(ConfigMap), { eu: member });
    await scene.stop();
    answer.resolve({ scope: 'Cluster' } as never);
    await scene.fake.settle();
    expect(member.asked.map(({ kind }) => kind)).toEqual(['example.com/v1 Team']);
  });

  describe('with a handler that is called without prepare', () => {
    const object: KubernetesObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'child',
        namespace: 'default',
        uid: '2',
        resourceVersion: '1',
        creationTimestamp: '',
        ownerReferences,
      },
    };
    const event = objectEvent({ type: 'create', clusterName: 'eu', initial: false, object });

    it('KS-4: has the scope of the cluster of the event', async () => {
      const requests: unknown[] = [];
      const queue = { add: (request: unknown) => void requests.push(request) };
      await enqueueRequestForOwner(Team)(event, { queue, cluster: new DiscoveredMember() });
      const prepared = await lift(enqueueRequestForOwner(Team)).prepare?.(new DiscoveredMember());
      await prepared?.(event, { queue });
      expect(requests).toEqual([
        { clusterName: 'eu', namespace: '', name: 'shop' },
        { clusterName: 'eu', namespace: '', name: 'shop' },
      ]);
    });

    it('KS-4: needs a scope if the event has no cluster and the object has such an owner', async () => {
      const queue = { add: () => undefined };
      const handler = enqueueRequestForOwner(Team);
      await expect(handler(event, { queue })).rejects.toThrow(
        'the scope of the owner kind example.com/v1 Team is unknown, and the event has no cluster with a REST mapper: define the kind with its scope',
      );
      const orphan = { ...object, metadata: { ...object.metadata, ownerReferences: [] } };
      await handler(objectEvent({ type: 'create', clusterName: 'eu', initial: false, object: orphan }), { queue });
    });
  });

  describe('with a real server', () => {
    let plane: ControlPlane;
    let client: ApiClient;

    beforeEach(async () => {
      plane = await createControlPlane({
        crds: [
          {
            apiVersion: 'apiextensions.k8s.io/v1',
            kind: 'CustomResourceDefinition',
            metadata: { name: 'teams.example.com' },
            spec: {
              group: 'example.com',
              scope: 'Cluster',
              names: { kind: 'Team', plural: 'teams' },
              versions: [
                {
                  name: 'v1',
                  served: true,
                  storage: true,
                  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
                },
              ],
            },
          },
        ],
      });
      client = createClient(plane.config);
    });

    afterEach(async () => {
      await client.close();
      await plane.stop();
    });

    it('KS-4: a deleted child of a cluster-scoped owner is created again', async () => {
      const manager = await createManager({
        config: plane.config,
        logger: silentLogger,
        metrics: { bindAddress: '0' },
      });
      await controllerManagedBy(manager)
        .for(Team)
        .owns(ConfigMap)
        .complete(async ({ name }, context) => {
          const cluster = await context.cluster();
          const team = await cluster.client.find(Team, { name });
          if (!team) return;
          await createOrUpdate(cluster.client, ConfigMap, { namespace: 'default', name }, (child) =>
            setControllerReference(team, child),
          );
        });
      const end = new AbortController();
      const started = manager.start(end.signal);
      const key = { namespace: 'default', name: 'shop' };
      try {
        await client.create(Team, { metadata: { name: 'shop' } });
        const child = await eventually(() => client.get(ConfigMap, key));
        await client.delete(ConfigMap, key);
        await eventually(async () =>
          expect((await client.get(ConfigMap, key)).metadata.uid).not.toBe(child.metadata.uid),
        );
      } finally {
        end.abort();
        await started;
      }
    });
  });
});
