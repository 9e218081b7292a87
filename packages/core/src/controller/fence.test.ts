import { expect, it } from '@jest/globals';
import { RunningController } from './running-controller.fixture.ts';

it('F-16: a worker starts no further reconcile after its lease has expired', async () => {
  const running = new RunningController({
    reconciler: async () => {
      // Simulates a blocked event loop: time has passed, but no timer has fired.
      running.fake.leads = false;
    },
  });
  await running.engage('eu-1', 'a', 'b', 'c');
  await running.advance(1_000);
  expect(running.seen).toEqual(['eu-1/a']);
  await running.stop();
});
