// Runs one of the project's own commands on a fresh clone with nothing but Node.js (20 or later) and npm: it fetches
// pnpm, installs, and builds, as far as each is needed, then runs the command on the Node.js that the project pins.
// What has been done before and has not changed is not done again.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const stamps = join(root, 'node_modules', '.mcr');

/** The exit code of what Ctrl-C has ended. */
const INTERRUPTED = 130;
const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];
/** What a command runs on Node.js, given its arguments. */
const commands = {
  demo: (args) => ['examples/kubeconfig/dist/main.js', ...args],
  example: ([program, ...args]) => [exampleFile(program), ...args],
  test: (args) => [...jest, ...args],
  e2e: (args) => [...jest, '--config', 'e2e/jest.config.mjs', ...args],
};

const [name, ...rest] = process.argv.slice(2);
if (!Object.hasOwn(commands, name ?? '')) {
  usage(`node scripts/run.mjs ${Object.keys(commands).join(' | ')} [arguments]`);
}
const argv = commands[name](rest);

const pnpm = `pnpm@${manifest.packageManager.split('@')[1]}`;
await once('install', 'Installing dependencies', ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests()], () =>
  run('npx', ['--yes', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'], 'quiet'),
);
await once('build', 'Building the packages', ['tsup.config.ts', 'tsconfig.base.json', ...sources()], () =>
  run('npx', ['--yes', pnpm, 'run', 'build'], 'quiet'),
);
const node = join(root, 'node_modules', 'node', 'bin', 'node');
process.exitCode = await run(node, ['--disable-warning=ExperimentalWarning', ...argv], 'inherit');

/** The built file of `capi` (its program `main`) or of `namespace-quota/single-cluster`. */
function exampleFile(program = '') {
  const [dir, file = 'main'] = program.split('/');
  const source = (example, main) => join(root, 'examples', example, 'src', `${main}.ts`);
  if (!existsSync(source(dir, file))) {
    const examples = readdirSync(join(root, 'examples')).filter((example) => existsSync(source(example, 'main')));
    usage(`npm run example -- ${examples.join(' | ')}`);
  }
  return `examples/${dir}/dist/${file}.js`;
}

function usage(text) {
  console.error(`usage: ${text}`);
  process.exit(2);
}

/** Does `work` unless it succeeded before on the same contents of `files`. */
async function once(step, title, files, work) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  const digest = hash.digest('hex');
  const stamp = join(stamps, step);
  const outputs = step === 'build' ? builtPackages().map((dir) => join(root, dir, 'dist')) : [stamps];
  if (outputs.every((path) => existsSync(path)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;

  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(1)} s`;
  const line = process.stderr.isTTY ? '\r' : '';
  process.stderr.write(`${title} ...`);
  const ticker = line && setInterval(() => process.stderr.write(`${line}${title} ... ${seconds()}`), 100);
  const code = await work();
  clearInterval(ticker);
  if (code === INTERRUPTED) {
    process.stderr.write('\n');
    process.exit(code);
  }
  if (code !== 0) {
    process.stderr.write(`\n${title} failed (exit code ${code}); what it printed stands above.\n`);
    process.exit(code);
  }
  process.stderr.write(`${line && `${line}${title} ...`} ${seconds()}\n`);
  mkdirSync(stamps, { recursive: true });
  writeFileSync(stamp, digest);
}

/** Resolves with the exit code. `quiet` shows the output only when the command fails. */
function run(file, args, output) {
  return new Promise((resolve, reject) => {
    const stdio = output === 'quiet' ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const env = {
      ...process.env,
      PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
      NX_DAEMON: 'false',
    };
    const child = spawn(file, args, { cwd: root, stdio, env });
    const printed = [];
    child.stdout?.on('data', (chunk) => printed.push(chunk));
    child.stderr?.on('data', (chunk) => printed.push(chunk));
    // The child is in the same process group: it gets Ctrl-C itself, and the exit code of a program decides.
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

function workspaces() {
  const below = (dir) => readdirSync(join(root, dir)).map((entry) => `${dir}/${entry}`);
  return [...below('packages'), ...below('examples'), 'e2e', 'bench'].filter((dir) =>
    existsSync(join(root, dir, 'package.json')),
  );
}

function manifests() {
  return ['package.json', ...workspaces().map((dir) => `${dir}/package.json`)];
}

function builtPackages() {
  return workspaces().filter(
    (dir) => JSON.parse(readFileSync(join(root, dir, 'package.json'), 'utf8')).scripts?.build !== undefined,
  );
}

/** Everything that a build reads. */
function sources() {
  return builtPackages().flatMap((dir) => [
    `${dir}/package.json`,
    ...readdirSync(join(root, dir, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .sort(),
  ]);
}
