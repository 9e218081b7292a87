import type { Scenario } from '../scenario.ts';
import { median } from '../scenario.ts';
import { runBuilt } from './built-envtest.ts';

/** Starts a fleet, and prints how long that took in milliseconds. */
const program = `
  const started = performance.now();
  const fleet = await envtest.createControlPlaneFleet({ members: 3, backend: 'embedded' });
  console.log(performance.now() - started);
  await fleet.stop();
`;

/** P-24: time until a test has its fleet. */
export const fleetStart: Scenario = {
  id: 'P-24',
  title: 'start of a hub and three members of the embedded API server',
  unit: 'ms',
  goal: '< 500 ms',
  isMet: ({ value }) => value < 500,

  async measure(size) {
    const times: number[] = [];
    for (let run = 0; run < (size === 'full' ? 9 : 1); run++) times.push(await runBuilt<number>(program));
    return { value: median(times), floor: null, details: {} };
  },
};
