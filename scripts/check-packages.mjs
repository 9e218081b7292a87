// Checks every published package as a stranger would get it: packs it, has publint and attw read the tarball, and
// imports it in a project that has nothing else.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const scratch = mkdtempSync(join(tmpdir(), 'mcr-packages-'));
const bin = (name) => join(root, 'node_modules', '.bin', name);

try {
  const packages = readdirSync(join(root, 'packages')).map((dir) => {
    const { name } = JSON.parse(readFileSync(join(root, 'packages', dir, 'package.json'), 'utf8'));
    return { dir: join(root, 'packages', dir), name };
  });

  for (const { dir, name } of packages) {
    run('npx', ['--yes', manifest.packageManager, 'pack', '--pack-destination', scratch], dir);
    console.log(`packed ${name}`);
  }
  for (const tarball of readdirSync(scratch).filter((file) => file.endsWith('.tgz'))) {
    run(bin('publint'), [tarball, '--strict'], scratch);
    // Every package is ESM only, which all supported releases of Node.js can require().
    run(bin('attw'), [tarball, '--profile', 'esm-only', '--no-emoji', '--quiet'], scratch);
    console.log(`checked ${tarball}`);
  }

  const stranger = join(scratch, 'stranger');
  mkdirSync(stranger);
  const tarballs = Object.fromEntries(packages.map(({ name }) => [name, tarballOf(name)]));
  writeFileSync(
    join(stranger, 'package.json'),
    JSON.stringify({ name: 'stranger', private: true, type: 'module', dependencies: tarballs, overrides: tarballs }),
  );
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], stranger);
  for (const { name } of packages) {
    run('node', ['--input-type=module', '--eval', `await import(${JSON.stringify(name)})`], stranger);
    console.log(`imported ${name}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function tarballOf(name) {
  const prefix = `${name.replace('@', '').replace('/', '-')}-`;
  const file = readdirSync(scratch).find((entry) => entry.startsWith(prefix) && /^\d/.test(entry.slice(prefix.length)));
  return `file:${join(scratch, file)}`;
}

function run(file, args, cwd) {
  const env = { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}` };
  try {
    execFileSync(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    process.stderr.write(`${error.stdout ?? ''}${error.stderr ?? ''}`);
    console.error(`failed: ${[file, ...args].join(' ')} in ${cwd}`);
    process.exit(1);
  }
}
