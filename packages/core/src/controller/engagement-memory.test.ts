import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { collectGarbage } from '../../../client/src/garbage/garbage.fixture.ts';
import { RunningController } from './running-controller.fixture.ts';

describe('memory of engagements', () => {
  // A background job of the optimizing compiler holds the closure that it compiles, and so its engagement.
  beforeAll(() => ['--no-maglev', '--no-turbofan'].forEach((flag) => setFlagsFromString(flag)));
  afterAll(() => ['--maglev', '--turbofan'].forEach((flag) => setFlagsFromString(flag)));

  it('CT-3: keeps nothing of a thousand disengaged clusters with waiting and delayed requests', async () => {
    const running = new RunningController({ reconciler: async () => ({ requeueAfter: 1_000 }) });
    const { fake } = running;
    const engagements = async () => {
      const gone: WeakRef<object>[] = [];
      for (let index = 0; index < 1_000; index++) {
        const name = `cluster-${index % 10}`;
        const member = await running.engage(name, 'x', 'y');
        member.informer(ConfigMap).set({ namespace: 'default', name: 'z' });
        member.leave();
        gone.push(new WeakRef(member));
        fake.clusters.delete(name);
      }
      // Records of the test's own manager.
      for (const kept of [fake.observations, fake.outcomes, fake.lines]) kept.length = 0;
      return gone;
    };
    const gone = await engagements();
    await collectGarbage();
    expect(gone.filter((reference) => reference.deref() !== undefined)).toHaveLength(0);
    expect(fake.clock.pendingTimers).toBe(0);
    await running.stop();
  });
});
