import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Scenario } from './scenario.ts';
import { median } from './scenario.ts';

const built = new URL('../../packages/core/dist/index.js', import.meta.url);

/** Starts a manager with a provider that has no clusters, and says what the process weighs by then. */
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

/** P-12: what a program pays before its fleet has a single cluster. */
export const importTime: Scenario = {
  id: 'P-12',
  title: 'import @mcr/core and start a manager with an empty fleet',
  unit: 'ms',
  goal: '≤ 120 ms and ≤ 60 MB RSS above bare Node.js',
  isMet: ({ value, floor, details }) => value - floor <= 120 && (details?.['RSS above bare (MB)'] ?? Infinity) <= 60,

  async measure(size) {
    if (!existsSync(built)) {
      throw new Error(
        `${fileURLToPath(built)} is not there: P-12 measures the built package, so run \`pnpm build\` first`,
      );
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

/** Median wall time of a whole process that runs `program`, and of the bytes that it prints. */
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
