// Writes the public API of each published package, as its built declarations state it, to
// packages/<name>/api/<entry point>.api.md. With --check it writes nothing and prints the differences. It fails if a
// public signature uses a type that users cannot import.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { apiOf } from './api/reports.mjs';
import { publishedPackages } from './published-packages.mjs';
import { build } from './steps.mjs';

const check = process.argv.includes('--check');
await build();

const packages = new Map(publishedPackages().map((entry) => [entry.name, entry]));
let reportCount = 0;
const outdated = [];
for (const entry of packages.values()) {
  const { reports, unexported } = apiOf(entry, alsoInstalled(entry));
  reportCount += reports.length;
  if (unexported.length > 0) {
    console.error(`${entry.name}: users cannot import types of public signatures: ${unexported.join(', ')}`);
    console.error('export these types from an entry point, or use exported ones');
    process.exitCode = 1;
  }
  const folder = join(entry.directory, 'api');
  if (!check) write(folder, reports);
  else if (differs(folder, reports)) outdated.push(entry.name);
}
if (outdated.length > 0) {
  console.error(`API reports of ${outdated.join(', ')} are out of date: run "pnpm api" and review the changes`);
  process.exitCode = 1;
}
console.log(`${reportCount} API reports: ${process.exitCode ? 'see above' : 'ok'}`);

/** Users have the peers of a package, and `@mcr/core` unless they use the client by itself. */
function alsoInstalled({ name, manifest: { peerDependencies } }) {
  const names = new Set(Object.keys(peerDependencies ?? {}));
  if (name !== '@mcr/client' && name !== '@mcr/core') names.add('@mcr/core');
  return [...names].flatMap((each) => packages.get(each) ?? []);
}

function write(folder, reports) {
  rmSync(folder, { recursive: true, force: true });
  if (reports.length > 0) mkdirSync(folder);
  for (const { file, text } of reports) writeFileSync(join(folder, file), text);
}

/** Prints the differences between the files of a folder and the reports. */
function differs(folder, reports) {
  // A package that is only a program has none.
  if (reports.length === 0) return existsSync(folder);
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
