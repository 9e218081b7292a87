// Runs every check of CI. `npm test` comes first, as in a fresh clone. The whole-fleet tests mostly wait, so other steps run
// beside them: the ones that wait for Leases, and, with the lowest priority, what computes much and measures no time. The
// summary counts the tests in Jest's results; the failed ones come last, so that the end of a log names them.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { failuresIn } from './failures.mjs';

const root = join(import.meta.dirname, '..');
const results = mkdtempSync(join(tmpdir(), 'mcr-verify-'));
const pinned = `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`;

const jestResults = (name) => ['--', '--json', `--outputFile=${join(results, `${name}.json`)}`];
const e2eResults = (name) => ['--', '--results', join(results, `${name}.json`)];
/** Scenarios that create, restart or delete clusters, which Kind does in its own way. */
const KIND_SCENARIOS = [
  'join-and-leave',
  'rotation',
  'member-restart',
  'network',
  'provider-kind',
  'cluster-lifecycle',
];
/** Scenarios that wait for Leases to expire. */
const WAITING_SCENARIOS = ['sharded-fleet', 'sharded-objects', 'sharded-placement', 'rbac-sharding'];
/** Scenarios that compute much and measure no time. */
const COMPUTING_SCENARIOS = ['perturbation', 'projects', 'site'];
/** Scenarios that pack the built packages. */
const PACKING_SCENARIOS = ['provider-package'];
const unitTests = {
  title: 'unit and integration tests',
  argv: ['npm', 'test', ...jestResults('test')],
  counts: 'test.json',
};
/** More seeds than a developer waits for. */
const SIMULATION = 'packages/core/src/sharding/membership/simulation.test.ts';
/** The builds come before the checks of all files, which would find the temporary files of tsup. */
const packageChecks = [
  { title: 'published packages', argv: ['node', 'scripts/check-packages.mjs'] },
  { title: 'API reports', argv: ['node', 'scripts/api-reports.mjs', '--check'] },
  fleetTests('whole-fleet tests of packed packages', 'packing', PACKING_SCENARIOS),
  { title: 'lint', argv: ['eslint', '.'] },
  { title: 'format', argv: ['prettier', '--check', '--log-level', 'warn', '.'] },
  { title: 'unused code and dependencies', argv: ['knip'] },
  { title: 'prose', argv: ['node', 'scripts/check-prose.mjs'] },
];
const checks = [
  fleetTests('whole-fleet tests that compute', 'computing', COMPUTING_SCENARIOS),
  {
    title: 'simulation of sharding',
    argv: ['npm', 'test', ...jestResults('simulation'), SIMULATION],
    environment: { SHARD_SCHEDULES: '200' },
    counts: 'simulation.json',
  },
  { title: 'types', argv: ['tsc', '--noEmit'] },
  { title: 'types of the fleet page', argv: ['tsc', '--project', 'packages/dashboard/src/page'] },
  { title: 'documentation', argv: ['node', 'scripts/check-docs.mjs'] },
];
const waitingTests = fleetTests('whole-fleet tests that wait for Leases', 'waiting', WAITING_SCENARIOS);
const kindTests = fleetTests('whole-fleet tests with a stand-in for Kind', 'kind', [
  '--backend',
  'kind',
  '--stand-in',
  ...KIND_SCENARIOS,
]);
const measurements = [
  { title: 'demo', argv: ['npm', 'run', '--silent', 'demo', '--', '--json'] },
  { title: 'benchmarks', argv: ['node', '--conditions=@mcr/source', 'bench/src/main.ts', '--smoke'] },
];

const failures = [];
const failedTests = [];
const totals = { passed: 0, failed: 0 };
try {
  await run(unitTests);
  await Promise.all([
    run(fleetTests('whole-fleet tests', 'e2e', otherScenarios())).then(() => run(kindTests)),
    run(waitingTests, { isBeside: true }),
    runAll(packageChecks, { isBeside: true, priority: constants.priority.PRIORITY_LOW }),
    runAll(checks, { isBeside: true, priority: constants.priority.PRIORITY_LOW }),
  ]);
  await runAll(measurements);
} finally {
  rmSync(results, { recursive: true, force: true });
}

if (failures.length > 0) console.log(`\nfailed: ${failures.join(', ')}`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
for (const text of failedTests) console.log(text);
process.exitCode = failures.length > 0 ? 1 : 0;

async function runAll(steps, options) {
  for (const step of steps) await run(step, options);
}

function fleetTests(title, name, scenarios) {
  return { title, argv: ['npm', 'run', 'e2e', ...e2eResults(name), ...scenarios], counts: `${name}.json` };
}

/** Returns the scenarios that no other step names, once the dependencies are installed. */
function otherScenarios() {
  const list = execFileSync('npm', ['run', '--silent', 'e2e', '--', '--list'], { cwd: root, encoding: 'utf8' });
  const names = list.split('\n').flatMap((line) => /^\S+/.exec(line) ?? []);
  return names.filter((name) => ![...WAITING_SCENARIOS, ...COMPUTING_SCENARIOS, ...PACKING_SCENARIOS].includes(name));
}

/** Runs a step. With `isBeside`, its output is printed when it has ended. */
async function run({ title, argv, counts, environment = {} }, { isBeside = false, priority } = {}) {
  const head = `\n== ${title}: ${argv.slice(0, 3).join(' ')}`;
  if (!isBeside) console.log(head);
  const started = Date.now();
  const [file, ...args] = argv;
  const stdio = isBeside ? ['ignore', 'pipe', 'pipe'] : 'inherit';
  const child = spawn(file, args, { cwd: root, stdio, env: { ...environmentOf(file), ...environment } });
  if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const { status, error } = await new Promise((resolve) => {
    child.on('error', (failure) => resolve({ error: failure }));
    child.on('close', (code) => resolve({ status: code }));
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  if (error || status !== 0) failures.push(title);
  if (isBeside) console.log(head + (output && `\n${output.trimEnd()}`));
  console.log(`== ${title}: ${error ? error.message : status === 0 ? 'ok' : `exit code ${status}`} (${seconds} s)`);
  if (counts) count(join(results, counts), title);
}

/**
 * npm is the one on this machine, as in a fresh clone; every other tool is the pinned one. The API servers of tests start
 * faster with a cache of compiled sources.
 */
function environmentOf(file) {
  const cached = { NODE_COMPILE_CACHE: join(results, 'compiled'), ...process.env };
  return file === 'npm' ? cached : { ...cached, PATH: pinned };
}

function count(file, title) {
  try {
    const results = JSON.parse(readFileSync(file, 'utf8'));
    const { numPassedTests, numFailedTests, numFailedTestSuites } = results;
    totals.passed += numPassedTests;
    // A suite that fails to load has no failed tests, but counts as a failure.
    totals.failed += Math.max(numFailedTests, numFailedTestSuites);
    const failed = failuresIn(results);
    if (failed.length > 0) failedTests.push(`\n${title}:`, ...failed);
  } catch {
    totals.failed += 1;
    failures.push(`${title}: no results`);
  }
}
