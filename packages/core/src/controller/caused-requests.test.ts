import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigMap, Secret } from '@mcr/client';
import { FakeMember } from './fake-member.fixture.ts';
import { RunningController } from './running-controller.fixture.ts';
import { kindSource } from './source/kind-source.ts';

describe('requests for the hub that events of members cause', () => {
  let running: RunningController;
  afterEach(() => running.stop());

  it('FP-2: a noisy member delays neither the requests of the hub nor those of other members', async () => {
    const gate = Promise.withResolvers<void>();
    running = new RunningController({
      maxConcurrentReconciles: 1,
      reconciler: async ({ name }) => {
        if (name === 'first') await gate.promise;
      },
    });
    await running.controller.watch(
      kindSource(Secret, ({ key }, { queue }) => queue.add({ clusterName: '', namespace: 'default', name: key.name })),
    );
    const join = async (name: string) => {
      const member = FakeMember.synced(ConfigMap);
      const informer = member.informer(Secret);
      informer.sync();
      await running.engageMember(name, member);
      return informer;
    };
    const [noisy, quiet] = [await join('noisy'), await join('quiet')];
    noisy.set({ namespace: 'default', name: 'first' });
    await running.fake.settle();
    for (let index = 0; index < 1_000; index += 1) noisy.set({ namespace: 'default', name: `noisy-${index}` });
    quiet.set({ namespace: 'default', name: 'quiet' });
    await running.fake.settle();
    gate.resolve();
    await running.fake.settle();
    expect(running.seen).toHaveLength(1_002);
    expect(running.seen.indexOf('/quiet')).toBeLessThan(4);
  });
});
