// Runs every check of CI. `npm test` comes first, as in a fresh clone. The summary counts the tests in Jest's results;
// the failed ones come last, so that the end of a log names them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { failuresIn } from './failures.mjs';

const root = join(import.meta.dirname, '..');
const results = mkdtempSync(join(tmpdir(), 'mcr-verify-'));
const pinned = `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`;

const jestResults = (name) => ['--', '--json', `--outputFile=${join(results, `${name}.json`)}`];
const e2eResults = (name) => ['--', '--results', join(results, `${name}.json`)];
const steps = [
  { title: 'unit and integration tests', argv: ['npm', 'test', ...jestResults('test')], counts: 'test.json' },
  { title: 'types', argv: ['tsc', '--noEmit'] },
  { title: 'documentation', argv: ['node', 'scripts/check-docs.mjs'] },
  { title: 'prose', argv: ['node', 'scripts/check-prose.mjs'] },
  { title: 'lint', argv: ['eslint', '.'] },
  { title: 'format', argv: ['prettier', '--check', '--log-level', 'warn', '.'] },
  { title: 'unused code and dependencies', argv: ['knip'] },
  { title: 'published packages', argv: ['node', 'scripts/check-packages.mjs'] },
  { title: 'API reports', argv: ['node', 'scripts/api-reports.mjs', '--check'] },
  { title: 'whole-fleet tests', argv: ['npm', 'run', 'e2e', ...e2eResults('e2e')], counts: 'e2e.json' },
  {
    title: 'whole-fleet tests with a stand-in for Kind',
    argv: ['npm', 'run', 'e2e', ...e2eResults('kind'), '--backend', 'kind', '--stand-in'],
    counts: 'kind.json',
  },
  { title: 'demo', argv: ['npm', 'run', '--silent', 'demo', '--', '--json'] },
  { title: 'benchmarks', argv: ['node', '--conditions=@mcr/source', 'bench/src/main.ts', '--smoke'] },
];

const failures = [];
const failedTests = [];
const totals = { passed: 0, failed: 0 };
try {
  for (const { title, argv, counts } of steps) {
    console.log(`\n== ${title}: ${argv.slice(0, 3).join(' ')}`);
    const started = Date.now();
    const [file, ...args] = argv;
    const { status, error } = spawnSync(file, args, { cwd: root, stdio: 'inherit', env: environment(file) });
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    if (error || status !== 0) failures.push(title);
    console.log(`== ${title}: ${error ? error.message : status === 0 ? 'ok' : `exit code ${status}`} (${seconds} s)`);
    if (counts) count(join(results, counts), title);
  }
} finally {
  rmSync(results, { recursive: true, force: true });
}

if (failures.length > 0) console.log(`\nfailed: ${failures.join(', ')}`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
for (const text of failedTests) console.log(text);
process.exitCode = failures.length > 0 ? 1 : 0;

/** npm is the one on this machine, as in a fresh clone; every other tool is the pinned one. */
function environment(file) {
  // More seeds of the simulation of sharding than a developer waits for.
  return file === 'npm' ? { SHARD_SCHEDULES: '2000', ...process.env } : { ...process.env, PATH: pinned };
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
