// Writes the public API of each published package, as its built declarations state it, to
// packages/<name>/api/<entry point>.api.md. With --check it writes nothing and prints the differences. It fails if a
// public signature uses a type that users cannot import.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { apiReports } from './api/reports.mjs';
import { publishedPackages } from './published-packages.mjs';
import { build } from './steps.mjs';

/** Packages that may still use types that they do not export. */
const EXEMPT = new Set(['@mcr/core']);

const check = process.argv.includes('--check');
await build();

let reportCount = 0;
const outdated = [];
for (const { name, directory, manifest } of publishedPackages()) {
  const reports = apiReports({ directory, manifest });
  reportCount += reports.length;
  if (!EXEMPT.has(name)) for (const report of reports) refuseUnexported(name, report);
  if (!check) write(join(directory, 'api'), reports);
  else if (differs(join(directory, 'api'), reports)) outdated.push(name);
}
if (outdated.length > 0) {
  console.error(`API reports of ${outdated.join(', ')} are out of date: run "pnpm api" and review the changes`);
  process.exitCode = 1;
}
console.log(`${reportCount} API reports: ${process.exitCode ? 'see above' : 'ok'}`);

function refuseUnexported(name, { file, unexported }) {
  if (unexported.length === 0) return;
  const types = unexported.toSorted().join(', ');
  console.error(`${name}: ${file}: types of public signatures are not exported: ${types}: export them or use others`);
  process.exitCode = 1;
}

function write(folder, reports) {
  rmSync(folder, { recursive: true, force: true });
  if (reports.length > 0) mkdirSync(folder);
  for (const { file, text } of reports) writeFileSync(join(folder, file), text);
}

/** Prints the differences between the files of a folder and the reports. */
function differs(folder, reports) {
  const scratch = mkdtempSync(join(tmpdir(), 'mcr-api-'));
  try {
    const [before, after] = [existsSync(folder) ? folder : join(scratch, 'none'), join(scratch, 'now')];
    mkdirSync(before, { recursive: true });
    write(after, reports);
    return spawnSync('git', ['diff', '--no-index', '--', before, after], { stdio: 'inherit' }).status !== 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
