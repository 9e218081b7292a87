// Runs the benchmarks, and compares them with the run before. The directory of the argument keeps the results: `results.jsonl`,
// those of the run before in `last.jsonl`, and the report. In CI, the report is also the summary of the job.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { comparison, resultsIn } from './compare-benchmarks.mjs';
import { root } from './published-packages.mjs';
import { node } from './steps.mjs';

const [directory, ...ids] = process.argv.slice(2);
if (directory === undefined) {
  console.error('usage: node scripts/nightly-benchmarks.mjs DIR [P-1 ...]');
  process.exit(2);
}
const results = join(resolve(directory), 'results.jsonl');
const last = join(resolve(directory), 'last.jsonl');
mkdirSync(directory, { recursive: true });
if (existsSync(results)) renameSync(results, last);

const argv = ['--conditions=@mcr/source', 'bench/src/main.ts', '--json', ...ids];
const { stdout, status, error } = spawnSync(node, argv, {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
  encoding: 'utf8',
});
if (error) throw error;
writeFileSync(results, stdout);
const previous = existsSync(last) ? resultsIn(readFileSync(last, 'utf8')) : undefined;
const report = comparison(resultsIn(stdout), previous);
writeFileSync(join(resolve(directory), 'report.md'), report);
const { GITHUB_STEP_SUMMARY: summary } = process.env;
if (summary) appendFileSync(summary, report);
process.stdout.write(report);
process.exitCode = status ?? 1;
