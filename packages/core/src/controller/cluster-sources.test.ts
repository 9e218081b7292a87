import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigMap, Secret } from '@mcr/client';
import { createFleet } from '../fleet/status/create-fleet.ts';
import { enqueueRequestForObject } from './handler/enqueue-object.ts';
import { kindSource } from './source/kind-source.ts';
import { createController } from './create-controller.ts';
import { FakeMember } from './fake-member.fixture.ts';
import { RunningController } from './running-controller.fixture.ts';

describe('ClusterSources', () => {
  let running: RunningController;
  afterEach(async () => {
    await running.stop();
    expect(running.fake.clock.pendingTimers).toBe(0);
  });

  it('CT-1: engaging starts each source, and existing objects are reconciled at low priority', async () => {
    const priorities: number[] = [];
    running = new RunningController({ reconciler: async (_, { priority }) => void priorities.push(priority) });
    const member = await running.engage('eu-1', 'x');
    expect(running.seen).toEqual(['eu-1/x']);
    member.informer(ConfigMap).set({ namespace: 'default', name: 'y' });
    member.informer(ConfigMap).delete({ namespace: 'default', name: 'x' });
    await running.fake.settle();
    expect(running.seen).toEqual(['eu-1/x', 'eu-1/y', 'eu-1/x']);
    expect(priorities).toEqual([-100, 0, 0]);
  });

  it('CT-1: the same live instance again is a no-op', async () => {
    running = new RunningController();
    const member = await running.engage('eu-1', 'x');
    await running.controller.engage('eu-1', member, new AbortController().signal);
    await running.fake.settle();
    expect(member.informer(ConfigMap).handlers.size).toBe(1);
    expect(running.seen).toEqual(['eu-1/x']);
  });

  it('CT-1: a new instance ends the previous engagement first, and its objects are reconciled again', async () => {
    running = new RunningController();
    const old = await running.engage('eu-1', 'x');
    await running.engage('eu-1', 'x', 'y');
    expect(old.informer(ConfigMap).handlers.size).toBe(0);
    expect(running.seen).toEqual(['eu-1/x', 'eu-1/x', 'eu-1/y']);
    // The end of the previous engagement does not end the new one.
    old.leave();
    expect(running.fake.observations.map(({ state }) => state)).toEqual([
      'syncing',
      'synced',
      'stopped',
      'syncing',
      'synced',
    ]);
  });

  it.each<[string, (leave: () => void) => unknown]>([
    ['its cluster leaves', (leave) => leave()],
    ['the manager stops', () => running.stop()],
  ])('FL-1: when %s, a cluster that never synced is not shown as engaged', async (_, end) => {
    running = new RunningController();
    const fleet = createFleet({ clock: running.fake.clock });
    Object.assign(running.fake.fleet, { recorder: fleet.recorder });
    fleet.recorder.phase('eu-1', 'Engaged', 'everything has synced');
    await end(await running.engageMember('eu-1', new FakeMember()));
    fleet.recorder.phase('eu-1', 'Disengaged', 'the manager stops');
    expect(fleet.get('eu-1')?.history.map(({ phase }) => phase)).toEqual(['Engaged', 'Syncing', 'Disengaged']);
  });

  it('CT-1: an instance whose engagement ended can be engaged again', async () => {
    running = new RunningController();
    const member = await running.engage('eu-1', 'x');
    member.leave();
    await running.controller.engage('eu-1', member, new AbortController().signal);
    await running.fake.settle();
    expect(running.seen).toEqual(['eu-1/x', 'eu-1/x']);
  });

  it('CT-1: a cluster that was engaged before the controller ran is started with it', async () => {
    running = new RunningController();
    const { fake } = running;
    const seen: string[] = [];
    const controller = createController('late', fake.manager, {
      reconciler: async ({ clusterName }) => void seen.push(clusterName),
    });
    await controller.watch(kindSource(ConfigMap, enqueueRequestForObject()));
    const abort = new AbortController();
    for (const name of ['eu-1', 'left']) {
      const member = FakeMember.synced(ConfigMap);
      member.informer(ConfigMap).set({ name: 'x' });
      await controller.engage(name, member, name === 'left' ? AbortSignal.abort() : abort.signal);
    }
    await fake.settle();
    expect(fake.observations).toEqual([]);
    const ended = controller.run(abort.signal);
    await fake.settle();
    expect(seen).toEqual(['eu-1']);
    abort.abort();
    await ended;
    await controller.engage('too late', FakeMember.synced(ConfigMap), running.signal);
    expect(fake.observations.map(({ cluster }) => cluster)).not.toContain('too late');
  });

  it('CT-2: a source added after clusters are engaged is started on all of them', async () => {
    running = new RunningController();
    for (const name of ['eu-1', 'eu-2']) {
      const member = await running.engage(name);
      member.informer(Secret).sync();
      member.informer(Secret).set({ namespace: 'default', name: 'password' });
    }
    await running.controller.watch(kindSource(Secret, enqueueRequestForObject()));
    await running.fake.settle();
    expect(running.seen).toEqual(['eu-1/password', 'eu-2/password']);
  });

  it('CT-3: disengaging removes the handlers, drops the requests and aborts running reconciles', async () => {
    const signals: AbortSignal[] = [];
    const gate = Promise.withResolvers<void>();
    running = new RunningController({
      reconciler: async (_request, { signal }) => {
        signals.push(signal);
        await gate.promise;
        return { requeueAfter: 10 };
      },
    });
    const member = await running.engage('eu-1', 'x', 'y');
    const other = await running.engage('eu-2', 'z');
    expect(running.seen).toEqual(['eu-1/x']);
    member.leave();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(member.informer(ConfigMap).handlers.size).toBe(0);
    gate.resolve();
    await running.fake.settle();
    // Neither the waiting nor the requeued request of the disengaged cluster is reconciled.
    expect(running.seen).toEqual(['eu-1/x', 'eu-2/z']);
    expect(signals[1]?.aborted).toBe(false);
    other.leave();
    await running.advance(1_000);
    expect(running.seen).toHaveLength(2);
    // The fleet forgets the sources of a disengaged cluster.
    expect(running.fake.observations.filter(({ state }) => state === 'stopped')).toEqual([]);
  });

  it('CT-3: a handler that continues after its cluster was disengaged adds nothing to the queue', async () => {
    running = new RunningController();
    const gate = Promise.withResolvers<void>();
    await running.controller.watch(
      kindSource(Secret, async ({ clusterName, object }, { queue }) => {
        await gate.promise;
        queue.add({ clusterName, namespace: '', name: object.metadata.name });
      }),
    );
    const member = await running.engage('eu-1');
    member.informer(Secret).sync();
    member.informer(Secret).set({ name: 'late' });
    member.leave();
    gate.resolve();
    await running.fake.settle();
    expect(running.seen).toEqual([]);
  });

  it('CT-3: a request whose cluster is disengaged before its reconcile starts is not reconciled', async () => {
    running = new RunningController();
    const member = await running.engage('eu-1');
    member.informer(ConfigMap).set({ namespace: 'default', name: 'x' });
    member.leave();
    await running.fake.settle();
    expect(running.seen).toEqual([]);
    await running.engage('eu-1', 'x');
    expect(running.seen).toEqual(['eu-1/x']);
  });

  it('CT-4: a cluster that does not sync fails alone, is retried with backoff, and recovers', async () => {
    running = new RunningController({ cacheSyncTimeout: 10_000 });
    const slow = new FakeMember();
    const informer = slow.informer(ConfigMap);
    informer.lastError = new Error('connection refused');
    await running.controller.engage('slow', slow, new AbortController().signal);
    await running.engage('fast', 'x');
    expect(running.seen).toEqual(['fast/x']);
    const states = () =>
      running.fake.observations
        .filter(({ cluster }) => cluster === 'slow')
        .map(({ state, error }) => [state, error?.message]);
    expect(states()).toEqual([['syncing', undefined]]);

    await running.advance(10_000);
    const message = 'v1 ConfigMap has not synced within 10000 ms: connection refused';
    expect(states().at(-1)).toEqual(['failed', message]);
    expect(slow.asked).toHaveLength(1);
    await running.advance(999);
    expect(slow.asked).toHaveLength(1);
    await running.advance(1);
    expect(slow.asked).toHaveLength(2);
    expect(informer.handlers.size).toBe(1);
    await running.advance(10_000 + 1_999);
    expect(slow.asked).toHaveLength(2);
    await running.advance(1);
    expect(slow.asked).toHaveLength(3);
    expect(informer.handlers.size).toBe(1);
    informer.set({ namespace: 'default', name: 'y' });
    informer.sync();
    await running.fake.settle();
    expect(states()).toEqual([
      ['syncing', undefined],
      ['failed', message],
      ['failed', message],
      ['synced', undefined],
    ]);
    expect(running.seen).toEqual(['fast/x', 'slow/y']);
    const failures = running.fake.lines.filter((line) => line.message === 'source failed, retrying');
    expect(failures.map(({ level, fields }) => [level, fields['retryIn']])).toEqual([
      ['warn', 1_000],
      ['debug', 2_000],
    ]);
  });

  it('CT-4, F-22: a late source keeps running, so that it syncs without waiting for its next start', async () => {
    running = new RunningController({ cacheSyncTimeout: 10_000 });
    const slow = new FakeMember();
    const informer = slow.informer(ConfigMap);
    await running.controller.engage('slow', slow, new AbortController().signal);
    await running.advance(8 * 60_000);
    const starts = slow.asked.length;
    informer.set({ namespace: 'default', name: 'y' });
    informer.sync();
    await running.fake.settle();
    expect(running.seen).toEqual(['slow/y']);
    expect(running.fake.observations.at(-1)).toMatchObject({ cluster: 'slow', state: 'synced' });
    await running.advance(10 * 60_000);
    expect(slow.asked).toHaveLength(starts);
  });

  it('CT-4: engage does not wait for the cluster', async () => {
    running = new RunningController();
    const engaged = running.controller.engage('slow', new FakeMember(), new AbortController().signal);
    await expect(engaged).resolves.toBeUndefined();
  });

  it('CT-5: a kind that is missing in one cluster delays nothing else, and works once it appears', async () => {
    running = new RunningController();
    await running.controller.watch(kindSource(Secret, enqueueRequestForObject()));
    const member = FakeMember.synced(ConfigMap, Secret);
    member.missing.add('v1 Secret');
    member.informer(ConfigMap).set({ namespace: 'default', name: 'x' });
    member.informer(Secret).set({ namespace: 'default', name: 'password' });
    await running.controller.engage('eu-1', member, new AbortController().signal);
    await running.fake.settle();
    expect(running.seen).toEqual(['eu-1/x']);
    expect(running.fake.observations.find(({ state }) => state === 'failed')).toMatchObject({
      cluster: 'eu-1',
      controller: 'test',
      source: 'v1 Secret',
      error: new Error('no kind v1 Secret'),
    });
    await running.advance(1_000);
    member.missing.clear();
    await running.advance(2_000);
    expect(running.seen).toEqual(['eu-1/x', 'eu-1/password']);
  });

  it('CT-11: uses the result of the latest call of a filter', async () => {
    running = new RunningController();
    const answers: ((chosen: boolean) => void)[] = [];
    const clusterFilter = () => new Promise<boolean>((resolve) => answers.push(resolve));
    await running.controller.watch(kindSource(Secret, enqueueRequestForObject(), { clusterFilter }));
    const member = await running.engage('eu-1');
    const secrets = member.informer(Secret);
    member.describe({ labels: { env: 'prod' }, properties: {} });
    answers[1]?.(true);
    await running.fake.settle();
    answers[0]?.(false);
    await running.fake.settle();
    expect(secrets.handlers.size).toBe(1);
    // Another source of the cluster remains, so the requests stay.
    member.informer(ConfigMap).set({ namespace: 'default', name: 'x' });
    member.describe({ labels: {}, properties: {} });
    answers[2]?.(false);
    await running.fake.settle();
    expect(secrets.handlers.size).toBe(0);
    expect(running.seen).toEqual(['eu-1/x']);
    member.describe({ labels: { env: 'prod' }, properties: {} });
    member.leave();
    answers[3]?.(true);
    await running.fake.settle();
    expect(secrets.handlers.size).toBe(0);
    member.describe({ labels: {}, properties: {} });
    expect(answers).toHaveLength(4);
  });

  it('skips a cluster if its filter fails, and engages the others', async () => {
    running = new RunningController();
    const { fake } = running;
    await running.controller.watch(
      kindSource(Secret, enqueueRequestForObject(), {
        clusterFilter: (name) => {
          if (name === 'eu-1') throw new Error('no labels');
          return true;
        },
      }),
    );
    for (const name of ['eu-1', 'eu-2']) (await running.engage(name, 'x')).informer(Secret).sync();
    expect(running.seen).toEqual(['eu-1/x', 'eu-2/x']);
    const secrets = fake.observations.filter(({ source }) => source === 'v1 Secret');
    expect(secrets.map(({ cluster }) => cluster)).toEqual(['eu-2']);
    expect(fake.lines).toMatchObject([{ level: 'error', fields: { cluster: 'eu-1', error: new Error('no labels') } }]);
  });

  it('leaves no listener on its signals', async () => {
    running = new RunningController();
    const { signal } = new AbortController();
    for (let i = 0; i < 3; i++) await running.controller.engage('eu-1', FakeMember.synced(ConfigMap), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await running.stop();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(getEventListeners(running.signal, 'abort')).toHaveLength(0);
  });

  it('reports the number of watched objects to the fleet', async () => {
    running = new RunningController();
    const member = await running.engage('eu-1', 'x', 'y');
    const synced = running.fake.observations.find(({ state }) => state === 'synced');
    expect(synced?.objects?.()).toBe(2);
    member.informer(ConfigMap).delete({ namespace: 'default', name: 'x' });
    expect(synced?.objects?.()).toBe(1);
  });

  it('FL-1: lets the fleet read why a synced source no longer receives changes', async () => {
    running = new RunningController();
    const member = await running.engage('eu-1', 'x');
    const synced = running.fake.observations.find(({ state }) => state === 'synced');
    expect(synced?.lastError?.()).toBeUndefined();
    const refused = new Error('configmaps is forbidden');
    member.informer(ConfigMap).lastError = refused;
    expect(synced?.lastError?.()).toBe(refused);
  });

  it('distinguishes two sources of the same kind', async () => {
    running = new RunningController();
    await running.controller.watch(kindSource(ConfigMap, enqueueRequestForObject()));
    await running.engage('eu-1', 'x');
    const synced = running.fake.observations.filter(({ state }) => state === 'synced');
    expect(synced.map(({ source }) => source)).toEqual(['v1 ConfigMap', 'v1 ConfigMap (2)']);
  });

  it('CT-10: sources serve only the clusters of the provider by default', async () => {
    running = new RunningController();
    await running.engage('', 'hub');
    await running.engage('eu-1', 'member');
    expect(running.seen).toEqual(['eu-1/member']);
  });

  it('CT-10: without a provider, sources serve the local cluster', async () => {
    running = new RunningController({}, { provider: false });
    await running.engage('', 'hub');
    expect(running.seen).toEqual(['/hub']);
  });
});
