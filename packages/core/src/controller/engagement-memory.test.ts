import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { RunningController } from './running-controller.fixture.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('the memory of engagements', () => {
  // An optimizing compiler holds the closure that it compiles, in another thread, and by it the closure's engagement.
  // On a busy machine such a job may still wait for its thread when the garbage is collected.
  beforeAll(() => ['--no-maglev', '--no-turbofan'].forEach((flag) => setFlagsFromString(flag)));
  afterAll(() => ['--maglev', '--turbofan'].forEach((flag) => setFlagsFromString(flag)));

  it('CT-3: nothing is left of a thousand clusters that came and went, with work waiting and delayed', async () => {
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
      // What the test's own manager keeps.
      for (const kept of [fake.observations, fake.outcomes, fake.lines]) kept.length = 0;
      return gone;
    };
    const gone = await engagements();
    // A WeakRef holds its target until the end of the turn it was made in.
    await new Promise(setImmediate);
    collectGarbage();
    expect(gone.filter((reference) => reference.deref() !== undefined)).toHaveLength(0);
    expect(fake.clock.pendingTimers).toBe(0);
    await running.stop();
  });
});
