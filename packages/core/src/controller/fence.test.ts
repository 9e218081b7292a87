import { expect, it } from '@jest/globals';
import { RunningController } from './running-controller.fixture.ts';

it('F-16: a worker that wakes under a lapsed lease begins no further reconcile', async () => {
  const running = new RunningController({
    reconciler: async () => {
      // What blocks the event loop for longer than a lease: no timer has fired, and time has passed.
      running.fake.leads = false;
    },
  });
  await running.engage('eu-1', 'a', 'b', 'c');
  await running.advance(1_000);
  expect(running.seen).toEqual(['eu-1/a']);
  await running.stop();
});
