// Steps that commands of this repository run first: installing dependencies and building packages. Steps whose input
// has not changed are skipped.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pnpm } from './pnpm.mjs';
import { publishedPackages, root } from './published-packages.mjs';

const stamps = join(root, 'node_modules', '.mcr');

/** Exit code of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;
/** Interval of the progress line if the output is not a terminal, in milliseconds. */
const STILL_RUNNING = 5_000;

/** Path of the pinned Node.js release, once dependencies are installed. */
export const node = join(root, 'node_modules', 'node', 'bin', 'node');

/** Installs the dependencies of the whole repository. */
export async function install() {
  const manifests = workspaces().map((directory) => `${directory}/package.json`);
  const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests];
  const stamp = stampOf('install', files);
  if (stamp.isCurrent()) return;
  await step('Installing dependencies', (progress) =>
    run(pnpm('install', '--frozen-lockfile', '--reporter=append-only'), {
      output: 'quiet',
      progress: (line) => {
        if (line.startsWith('Progress: ')) progress(line.slice('Progress: '.length));
      },
    }),
  );
  stamp.write();
}

/** Builds the published packages whose sources, or the sources of their dependencies, have changed. */
export async function build() {
  const packages = publishedPackages().map((entry) => ({ ...entry, stamp: stampOf(entry.name, sources(entry)) }));
  const outdated = packages.filter(({ directory, manifest, stamp }) => {
    const [{ default: entry }] = Object.values(manifest.exports);
    return !stamp.isCurrent() || !existsSync(join(directory, entry));
  });
  if (outdated.length > 0) await buildPackages(outdated);
}

/** Builds every published package. */
export async function rebuild() {
  await buildPackages(publishedPackages().map((entry) => ({ ...entry, stamp: stampOf(entry.name, sources(entry)) })));
}

async function buildPackages(packages) {
  const filters = packages.flatMap(({ name }) => ['--filter', name]);
  let built = 0;
  await step(`Building ${packages.length} packages`, (progress) =>
    run(pnpm('--recursive', '--reporter=append-only', ...filters, 'run', 'build'), {
      output: 'quiet',
      progress: (line) => {
        if (/ build: Done$/u.test(line)) progress(`${++built} of ${packages.length}`);
      },
    }),
  );
  for (const { stamp } of packages) stamp.write();
}

/** Runs `work`, which resolves with an exit code, and shows its progress. Exits the process if it fails. */
async function step(title, work) {
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(1)} s`;
  const { isTTY } = process.stderr;
  let detail = '';
  const status = () => `${title} ... ${seconds()}${detail && ` (${detail})`}`;
  const show = () => process.stderr.write(isTTY ? `\r\u001b[K${status()}` : `${status()}\n`);
  process.stderr.write(`${title} ...${isTTY ? '' : '\n'}`);
  const ticker = setInterval(show, isTTY ? 100 : STILL_RUNNING);
  const code = await work((text) => (detail = text));
  clearInterval(ticker);
  if (code === 0) {
    detail = '';
    process.stderr.write(isTTY ? `\r\u001b[K${status()}\n` : `${title}: done in ${seconds()}\n`);
    return;
  }
  const failure = code === INTERRUPTED ? '' : `${title} failed (exit code ${code}); its output is above\n`;
  process.stderr.write(`\n${failure}`);
  process.exit(code);
}

/**
 * Runs a command at the root of the repository, on the pinned Node.js, and resolves with its exit code. With `quiet`,
 * its output appears only if it fails; `progress` gets each line.
 */
export function run([file, ...args], { output, progress }) {
  return new Promise((resolve, reject) => {
    const stdio = output === 'quiet' ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const env = {
      ...process.env,
      PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
      NX_DAEMON: 'false',
    };
    const child = spawn(file, args, { cwd: root, stdio, env });
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        printed.push(chunk);
        for (const line of String(chunk).split('\n')) if (line.trim() !== '') progress?.(line.trim());
      });
    }
    // The child is in the same process group and receives Ctrl-C itself. Its exit code decides.
    let interrupted = false;
    const forward = (signal) => child.kill(signal);
    const wait = () => void (interrupted = true);
    process.on('SIGTERM', forward).on('SIGINT', wait);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGTERM', forward).off('SIGINT', wait);
      if (interrupted && output === 'quiet') return resolve(INTERRUPTED);
      if (code !== 0) for (const chunk of printed) process.stderr.write(chunk);
      resolve(code ?? (signal === 'SIGINT' ? INTERRUPTED : 143));
    });
  });
}

/** Records that a step succeeded with the current contents of `files`. */
function stampOf(name, files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  const digest = hash.digest('hex');
  const path = join(stamps, name.replace('/', '-'));
  return {
    isCurrent: () => existsSync(path) && readFileSync(path, 'utf8') === digest,
    write: () => {
      mkdirSync(stamps, { recursive: true });
      writeFileSync(path, digest);
    },
  };
}

function workspaces() {
  const below = (parent) => readdirSync(join(root, parent)).map((entry) => `${parent}/${entry}`);
  return [...below('packages'), ...below('examples'), 'e2e', 'bench'].filter((directory) =>
    existsSync(join(root, directory, 'package.json')),
  );
}

/** Returns every file that the build of a package reads: its own, and those of packages whose types it uses. */
function sources({ name }) {
  const packages = new Map(publishedPackages().map((entry) => [entry.name, entry]));
  const needed = new Set([name]);
  for (const each of needed) {
    const { dependencies, peerDependencies, devDependencies } = packages.get(each).manifest;
    for (const dependency of Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies })) {
      if (packages.has(dependency)) needed.add(dependency);
    }
  }
  const files = [...needed].sort().flatMap((each) => {
    const directory = packages.get(each).directory.slice(root.length + 1);
    const below = readdirSync(join(root, directory, 'src'), { recursive: true, withFileTypes: true });
    return [
      `${directory}/package.json`,
      ...below
        .filter((entry) => entry.isFile() && !entry.name.includes('.test'))
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .sort(),
    ];
  });
  return ['tsup.config.ts', 'tsconfig.base.json', ...files];
}
