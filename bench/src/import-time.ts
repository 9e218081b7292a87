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
  title: 'import @mcr/core and start a manager with an empty fleet',
  unit: 'ms',
  goal: '≤ 120 ms and ≤ 60 MB RSS above bare Node.js',
  isMet: ({ value, floor, details }) => value - floor <= 120 && (details?.['RSS above bare (MB)'] ?? Infinity) <= 60,

  async measure(size) {
    if (!existsSync(built)) {
      throw new Error(`${fileURLToPath(built)} not found: P-12 measures the built package: run \`pnpm build\` first`);
    }
    const runs = size === 'full' ? 15 : 2;
    const bare = measureProcess(bareNode, runs);
    const ready = measureProcess(emptyFleet, runs);
    return {
      value: ready.time,
      floor: bare.time,
      details: { 'ms above bare': ready.time - bare.time, 'RSS above bare (MB)': (ready.rss - bare.rss) / 2 ** 20 },
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
