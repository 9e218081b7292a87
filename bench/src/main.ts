import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { comparePeers, peerRows } from '../peers/src/main.ts';
import type { MeasureCommands } from './measure-program.ts';
import { startProgram } from './program.ts';
import { resultOf, textOf } from './result.ts';
import type { Measurement, Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';

/** Number of scenarios that run at the same time with `--smoke`, where times do not matter. */
const SMOKE_CONCURRENCY = 3;

const usage = `usage: pnpm bench [P-1 P-2 ...] [--json] [--smoke]
       pnpm bench --peers [ROW ...] [--smoke]

  --json   prints one line of JSON for each scenario
  --smoke  runs each scenario with little work, to check that it runs; the figures are meaningless
  --peers  compares with programs in Go, Rust and JavaScript, and writes the table into bench/RESULTS.md
           rows: ${peerRows.join(' ')}

scenarios:
${scenarios.map(({ id, title, goal }) => `  ${id.padEnd(5)} ${title} (goal: ${goal})`).join('\n')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const known = values.peers ? peerRows : scenarios.map(({ id }) => id);
const unknown = positionals.filter((id) => !known.includes(id));
if (unknown.length > 0) {
  console.error(`unknown scenario: ${unknown.join(', ')}\n\n${usage}`);
  process.exitCode = 2;
} else if (values.help) {
  console.log(usage);
} else if (values.peers) {
  await comparePeers(positionals, values.smoke ? 'smoke' : 'full');
} else {
  const asked = new Set(positionals.length === 0 ? scenarios.map(({ id }) => id) : positionals);
  const chosen = [...asked].flatMap((id) => scenarios.filter((scenario) => scenario.id === id));
  await (values.smoke ? withCompileCache(() => runAll(chosen)) : runAll(chosen));
}

/** Runs the scenarios and prints the results in their order. */
async function runAll(chosen: readonly Scenario[]): Promise<void> {
  if (!values.json)
    console.log(`Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}\n`);
  const measured = chosen.map(() => Promise.withResolvers<Measurement | undefined>());
  const waiting = chosen.entries();
  const work = async () => {
    for (const [position, scenario] of waiting) measured[position]?.resolve(await measureApart(scenario));
  };
  const working = Promise.all(Array.from({ length: values.smoke ? SMOKE_CONCURRENCY : 1 }, work));
  for (const [position, scenario] of chosen.entries()) {
    const result = resultOf(scenario, await measured[position]?.promise);
    console.log(values.json ? JSON.stringify(result) : textOf(scenario, result, values.smoke));
  }
  await working;
}

/** Runs `work` with a cache of compiled code for its processes, because a smoke test starts many of them. */
async function withCompileCache(work: () => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mcr-bench-'));
  process.env['NODE_COMPILE_CACHE'] = folder;
  try {
    await work();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Measures a scenario in a separate process, so that the heap and compiled code of one do not affect another. If it
 * fails, prints why, returns `undefined` and sets the exit code.
 */
async function measureApart({ id }: Scenario): Promise<Measurement | undefined> {
  await using program = startProgram<MeasureCommands>(new URL('measure-program.ts', import.meta.url));
  try {
    return await program.run('measure', id, values.smoke ? 'smoke' : 'full');
  } catch (error) {
    console.error(`${id} failed:`, error instanceof Error ? error.message : error);
    process.exitCode = 1;
    return undefined;
  }
}
