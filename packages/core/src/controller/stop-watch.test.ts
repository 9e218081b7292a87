import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigMap, Secret } from '@mcr/client';
import { enqueueRequestForObject } from './handler/enqueue-object.ts';
import type { ReconcileRequest } from './reconcile/request.ts';
import { funcSource } from './source/func-source.ts';
import { kindSource } from './source/kind-source.ts';
import type { SourceContext } from './source/source.ts';
import { FakeMember } from './fake-member.fixture.ts';
import { RunningController } from './running-controller.fixture.ts';

const secrets = () => kindSource(Secret, enqueueRequestForObject());

describe('stopping a watch', () => {
  let running: RunningController;
  afterEach(async () => {
    await running.stop();
    expect(running.fake.clock.pendingTimers).toBe(0);
  });

  const engageWithSecrets = async (name: string) => {
    const member = await running.engage(name);
    member.informer(Secret).sync();
    return member;
  };

  it('FP-6: stops the source on every cluster, and does not start it on later ones', async () => {
    running = new RunningController();
    const members = [await engageWithSecrets('eu-1'), await engageWithSecrets('eu-2')];
    const watch = await running.controller.watch(secrets());
    await running.fake.settle();
    expect(members.map((member) => member.informer(Secret).handlers.size)).toEqual([1, 1]);

    await watch.stop();
    await watch.stop();
    members.push(await engageWithSecrets('eu-3'));
    for (const member of members) {
      expect(member.informer(Secret).handlers.size).toBe(0);
      member.informer(Secret).set({ namespace: 'default', name: 'unseen' });
      member.informer(ConfigMap).set({ namespace: 'default', name: 'x' });
    }
    await running.fake.settle();
    expect(running.seen).toEqual(['eu-1/x', 'eu-2/x', 'eu-3/x']);
    expect(running.fake.observations.filter(({ state }) => state === 'stopped')).toEqual([
      { cluster: 'eu-1', controller: 'test', source: 'v1 Secret', state: 'stopped' },
      { cluster: 'eu-2', controller: 'test', source: 'v1 Secret', state: 'stopped' },
    ]);
  });

  it('FP-6: keeps the requests in the queue, and running reconciles continue', async () => {
    const gate = Promise.withResolvers<void>();
    const aborted: boolean[] = [];
    running = new RunningController({
      reconciler: async (_request, { signal }) => {
        await gate.promise;
        aborted.push(signal.aborted);
      },
    });
    const watch = await running.controller.watch(secrets());
    const member = await engageWithSecrets('eu-1');
    for (const name of ['in-flight', 'waiting']) member.informer(Secret).set({ namespace: 'default', name });
    await running.fake.settle();
    await watch.stop();
    gate.resolve();
    await running.fake.settle();
    expect(running.seen).toEqual(['eu-1/in-flight', 'eu-1/waiting']);
    expect(aborted).toEqual([false, false]);
  });

  it('FP-6: the last watch of a cluster can be stopped, and a new one with the same name started', async () => {
    running = new RunningController();
    const first = await running.controller.watch(secrets());
    await engageWithSecrets('eu-1');
    await first.stop();
    const second = await running.controller.watch(secrets());
    await running.fake.settle();
    const named = running.fake.observations.filter(({ source }) => source.startsWith('v1 Secret'));
    expect(named.map(({ source, state }) => `${source} ${state}`)).toEqual([
      'v1 Secret syncing',
      'v1 Secret synced',
      'v1 Secret stopped',
      'v1 Secret syncing',
      'v1 Secret synced',
    ]);
    await second.stop();
  });

  it('FP-6: stops a source that has not synced, or whose cluster selection is still pending', async () => {
    running = new RunningController();
    const chosen = Promise.withResolvers<boolean>();
    const undecided = await running.controller.watch(
      kindSource(Secret, enqueueRequestForObject(), { clusterFilter: () => chosen.promise }),
    );
    const unsynced = await running.controller.watch(secrets());
    const member = new FakeMember();
    const engaged = new AbortController();
    await running.controller.engage('eu-1', member, engaged.signal);
    await running.fake.settle();
    await undecided.stop();
    await unsynced.stop();
    chosen.resolve(true);
    await running.fake.settle();
    expect(member.informer(Secret).handlers.size).toBe(0);
    engaged.abort();
  });

  it('FP-6: stops a source of the controller: its signal aborts, and its queue accepts no more requests', async () => {
    running = new RunningController();
    let context: SourceContext<ReconcileRequest> | undefined;
    const watch = await running.controller.watch(funcSource((given) => void (context = given)));
    await running.fake.settle();
    const add = (name: string) => context?.queue.add({ clusterName: 'eu-1', namespace: '', name });
    add('seen');
    await watch.stop();
    add('unseen');
    await running.fake.settle();
    expect(running.seen).toEqual(['eu-1/seen']);
    expect(context?.signal.aborted).toBe(true);
  });

  it('FP-6: a source that fails after it was stopped does not stop the controller', async () => {
    running = new RunningController();
    const failing = Promise.withResolvers<void>();
    const watch = await running.controller.watch(funcSource(() => failing.promise));
    await watch.stop();
    failing.reject(new Error('too late'));
    await running.fake.settle();
    const member = await running.engage('eu-1');
    member.informer(ConfigMap).set({ namespace: 'default', name: 'x' });
    await running.fake.settle();
    expect(running.seen).toEqual(['eu-1/x']);
  });
});
