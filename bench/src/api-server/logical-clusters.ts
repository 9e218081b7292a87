import type { Scenario } from '../scenario.ts';
import { runBuilt } from './built-envtest.ts';

interface Figures {
  /** Resident memory of the server without clusters, in MB. */
  readonly empty: number;
  /** The same with clusters. */
  readonly value: number;
  /** Time to create a cluster, in milliseconds. */
  readonly creation: number;
}

/** Creates clusters, and prints the memory of their server once that is at rest. */
const program = (count: number, rest: number) => `
  const { readFile } = await import('node:fs/promises');
  const { setTimeout: sleep } = await import('node:timers/promises');
  const server = await envtest.createEmbeddedApiServer();
  const memory = async () => {
    const status = await readFile('/proc/' + server.pid + '/status', 'utf8');
    return Number(/^VmRSS:\\s+(\\d+) kB$/m.exec(status)?.[1] ?? NaN) * 1_024 / 1e6;
  };
  const empty = await memory();
  const started = performance.now();
  for (let index = 0; index < ${count}; index++) await server.createCluster({ name: 'cluster-' + index });
  const creation = (performance.now() - started) / ${count};
  await sleep(${rest});
  console.log(JSON.stringify({ empty, value: await memory(), creation }));
  await server.stop();
`;

/** P-23: memory of a process that serves many logical clusters. */
export const logicalClusters: Scenario = {
  id: 'P-23',
  title: 'resident memory of an embedded API server with 1,000 logical clusters',
  unit: 'MB',
  goal: '< 300 MB',
  isMet: ({ value }) => value < 300,

  async measure(size) {
    const [count, rest] = size === 'full' ? [1_000, 5_000] : [10, 100];
    const { empty, value, creation } = await runBuilt<Figures>(program(count, rest));
    return { value, floor: null, details: { empty, creation } };
  },
};
