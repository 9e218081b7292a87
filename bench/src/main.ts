import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { changeLatency } from './change-latency.ts';
import { engageBesideDead } from './engage-beside-dead.ts';
import { engageFleet } from './engage-fleet.ts';
import { eventLoopStall } from './event-loop-stall.ts';
import { growth } from './growth.ts';
import { heapPerObject } from './heap-per-object.ts';
import { idleClusters } from './idle-clusters.ts';
import { importTime } from './import-time.ts';
import { listAndIndex } from './list-and-index.ts';
import { recoveryAfterOutage } from './recovery-after-outage.ts';
import { rotateCredentials } from './rotate-credentials.ts';
import type { Measurement, Scenario, Size } from './scenario.ts';
import { noOpReconciles } from './no-op-reconciles.ts';
import { slowMembers } from './slow-members.ts';
import { watchEvents } from './watch-events.ts';
import { workqueueThroughput } from './workqueue-throughput.ts';

const scenarios: readonly Scenario[] = [
  listAndIndex,
  watchEvents,
  workqueueThroughput,
  noOpReconciles,
  heapPerObject,
  idleClusters,
  eventLoopStall,
  engageFleet,
  engageBesideDead,
  changeLatency,
  rotateCredentials,
  importTime,
  growth,
  slowMembers,
  recoveryAfterOutage,
];

const usage = `usage: pnpm bench [P-1 P-2 ...] [--json] [--smoke]

  --json   prints one line of JSON for each scenario
  --smoke  runs each scenario with little work, to check that it runs; the figures are meaningless

scenarios:
${scenarios.map(({ id, title, goal }) => `  ${id.padEnd(5)} ${title} (goal: ${goal})`).join('\n')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    /** Set by this program for its child processes: measure here and print the bare measurement. */
    measure: { type: 'boolean', default: false },
  },
});
const size: Size = values.smoke ? 'smoke' : 'full';

const unknown = positionals.filter((id) => !scenarios.some((scenario) => scenario.id === id));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`unknown scenario: ${unknown.join(', ')}\n`);
  console.error(usage);
  process.exit(unknown.length > 0 ? 2 : 0);
}
const chosen = positionals.length === 0 ? scenarios : scenarios.filter(({ id }) => positionals.includes(id));

if (values.measure) {
  for (const scenario of chosen) console.log(JSON.stringify(await scenario.measure(size)));
} else {
  if (!values.json)
    console.log(`Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}\n`);
  for (const scenario of chosen) report(scenario, await measureApart(scenario));
}

/** Measures each scenario in a separate process, so that the heap and compiled code of one do not affect another. */
async function measureApart(scenario: Scenario): Promise<Measurement> {
  const child = spawn(
    process.execPath,
    [
      ...['--conditions=@mcr/source', '--expose-gc', '--disable-warning=ExperimentalWarning'],
      ...[fileURLToPath(import.meta.url), scenario.id, '--measure', ...(size === 'smoke' ? ['--smoke'] : [])],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: 'production' } },
  );
  const printed: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) {
    console.error(`${scenario.id} failed (exit code ${code ?? 'none'})`);
    process.exit(1);
  }
  return JSON.parse(Buffer.concat(printed).toString()) as Measurement;
}

function report(scenario: Scenario, measurement: Measurement): void {
  const ratio = measurement.floor === null ? NaN : measurement.value / measurement.floor;
  const met = scenario.isMet({ ...measurement, floor: measurement.floor ?? NaN, ratio });
  const { id, title, unit, goal } = scenario;
  const { value, floor, details } = measurement;
  if (values.json) {
    console.log(
      JSON.stringify({
        id,
        value: round(value),
        unit,
        floor: floor === null ? null : round(floor),
        ratio: round(ratio),
        goal,
        met,
        ...(details && { details }),
      }),
    );
    return;
  }
  console.log(`${id}  ${title}`);
  const beside = floor !== null && floor > 0 ? `, floor ${show(floor)} ${unit}, ratio ${ratio.toFixed(2)}` : '';
  console.log(`     ${show(value)} ${unit}${beside}`);
  for (const [name, detail] of Object.entries(details ?? {})) console.log(`     ${name}: ${show(detail)}`);
  console.log(`     goal: ${goal}: ${size === 'smoke' ? 'not checked' : met ? 'met' : 'NOT met'}\n`);
}

function round(number: number): number {
  return Number(number.toPrecision(5));
}

function show(number: number): string {
  return round(number).toLocaleString('en-US');
}
