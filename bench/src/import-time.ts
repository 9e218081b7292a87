import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Scenario } from './scenario.ts';
import { median } from './scenario.ts';

const built = new URL('../../packages/core/dist/index.js', import.meta.url);

/** Starts a manager whose provider has no clusters, and prints the resident memory. */
const emptyFleet = `
  import { createManager, InMemoryProvider } from ${JSON.stringify(built.href)};
  const stop = new AbortController();
  const provider = new InMemoryProvider();
  provider.run = async () => {
    console.log(process.memoryUsage.rss());
    stop.abort();
  };
  const manager = await createManager({
    config: { server: 'https://127.0.0.1:1' },
    provider,
    metrics: { bindAddress: '0' },
  });
  await manager.start(stop.signal);
`;
const bareNode = 'console.log(process.memoryUsage.rss());';

/** P-12: time and memory that a program uses before its fleet has a cluster. */
export const importTime: Scenario = {
  id: 'P-12',
  title: 'import @mcr/core, empty fleet ready, above bare Node.js',
  unit: 'ms',
  goal: '≤ 90 ms, ≤ 35 MB',
  isMet: ({ value, detail }) => value <= 90 && detail('resident') <= 35,

  async measure(size) {
    if (!existsSync(built)) {
      throw new Error(`${fileURLToPath(built)} not found: P-12 measures the built package: run \`pnpm build\` first`);
    }
    const runs = size === 'full' ? 15 : 2;
    const bare = measureProcess(bareNode, runs);
    const ready = measureProcess(emptyFleet, runs);
    return {
      value: ready.time - bare.time,
      floor: null,
      details: {
        resident: (ready.rss - bare.rss) / 1e6,
        readyTime: ready.time,
        bareTime: bare.time,
        readyResident: ready.rss / 1e6,
      },
    };
  },
};

/** Returns the median wall time of a process that runs `program`, and the number of bytes that it prints. */
function measureProcess(program: string, runs: number): { time: number; rss: number } {
  const times: number[] = [];
  const sizes: number[] = [];
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
    times.push(performance.now() - started);
    sizes.push(Number(printed));
  }
  return { time: median(times), rss: median(sizes) };
}
