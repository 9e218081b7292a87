// Checks the published packages as a user gets them: packs and publishes them by the release script, to a registry of
// its own, installs them with npm into empty projects, and runs a controller there on every supported Node.js release.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { checkImage } from './created-image.mjs';
import { startLoopbackRegistry } from './loopback-registry.mjs';
import { publishedPackages, root } from './published-packages.mjs';
import { install, node } from './steps.mjs';
import { followTutorial, portInUse } from './tutorial/tutorial.mjs';

/** The oldest release of each line that `engines` allows, and the one that the project pins. */
const NODE_RELEASES = ['22.22.2', '24.15.0', '26.0.0'];
/** Maximum size of a minified bundle of core and a provider, in bytes. */
const LARGEST_BUNDLE = 1_500_000;
/** Timeout of a step, in milliseconds. */
const DEADLINE = 600_000;
/** Entry points that start a program, belong to one, or need a test framework, when they are imported. */
const PROGRAMS = ['./jest', './main', './kube-apiserver', './etcd', './dev-preload'];
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

const scratch = mkdtempSync(join(tmpdir(), 'mcr-packages-'));
const { values: options } = parseArgs({ options: { from: { type: 'string' } } });
/** With `--from DIR`, checks the tarballs that the release script wrote to DIR; otherwise packs them first. */
const tarballs = options.from === undefined ? join(scratch, 'tarballs') : resolve(options.from);
const packages = publishedPackages();
const bin = (name) => join(root, 'node_modules', '.bin', name);

try {
  await install();
  await check();
} catch (error) {
  console.error(`check-packages: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function check() {
  if (options.from === undefined) {
    const argv = ['--prefix', root, 'run', 'release', '--', '--dry-run', '--out', 'tarballs'];
    await step('release --dry-run', () => run('npm', argv, { cwd: scratch }));
  }
  const registry = await startLoopbackRegistry();
  try {
    await step('publish to a registry on the loopback interface', () => publish(registry));
    const releases = installNodeReleases();
    const [onlyOne, every] = await step('install with npm: core with one provider, and every package', () =>
      Promise.all([projectWithOneProvider(registry), projectWithEveryPackage()]),
    );
    await step('licenses', () => checkLicenses(every));
    await step('publint and attw', () => lint());
    await step('types without skipLibCheck', () => checkTypes(every));
    await step('import and require every package', async () => importAll(every, await releases));
    const bundles = await step('bundle', () => bundle(onlyOne));
    const created = await step('npm create @mcr: install, lint, types, tests, manifests, bundle', () =>
      createdProject(every, registry),
    );
    await step('the image of the created project: SBOM, files, permissions, webhooks, shutdown', () =>
      checkImage(created, { every, scratch, run }),
    );
    const port = await portInUse();
    if (port === undefined) {
      await step('docs/tutorial.md, word by word', () => followTutorial(registry, join(scratch, 'tutorial')));
    } else {
      console.log(`docs/tutorial.md, word by word: skipped: end the program that uses port ${port}`);
    }
    await step('controllers', async () => runControllers(await releases, { onlyOne, every, bundles }));
  } finally {
    registry.close();
  }
}

/** Publishes twice: the second run must find every version in the registry. */
async function publish(registry) {
  const argv = [join(root, 'scripts', 'release.mjs'), '--from', tarballs, '--registry', registry.url];
  const userconfig = join(scratch, 'publisher.npmrc');
  writeFileSync(userconfig, `${registry.url.slice('http:'.length)}:_authToken=loopback\n`);
  const env = { npm_config_userconfig: userconfig };
  for (const expected of ['published', 'already published']) {
    const { stdout } = await run(process.execPath, argv, { env });
    for (const { name, version } of packages) {
      if (!stdout.includes(`${name}@${version}: ${expected}\n`))
        throw new Error(`${name} was not ${expected}:\n${stdout}`);
    }
  }
  const order = packages.map(({ name, version }) => `${name}@${version}`);
  if (registry.published.join() !== order.join())
    throw new Error(`packages were published in the wrong order: ${registry.published}`);
}

/** Returns a Node.js binary from the npm registry, cached for later runs. */
async function installNodeReleases() {
  const installed = NODE_RELEASES.map(async (version) => {
    const directory = join(root, 'node_modules', '.mcr', `node-${version}`);
    const path = join(directory, 'node_modules', 'node', 'bin', 'node');
    if (!existsSync(path)) {
      project(directory, {});
      // The install script of this package installs the binary.
      await run('npm', ['install', ...QUIET, '--ignore-scripts=false', `node@${version}`], { cwd: directory });
    }
    const { stdout } = await run(path, ['--version']);
    if (stdout.trim() !== `v${version}`) throw new Error(`${path} is Node.js ${stdout.trim()}`);
    return { version, path };
  });
  const { stdout: pinned } = await run(node, ['--version']);
  return [...(await Promise.all(installed)), { version: pinned.trim().slice(1), path: node }];
}

async function projectWithOneProvider(registry) {
  const directory = project(join(scratch, 'one-provider'), { type: 'module' });
  writeFileSync(join(directory, '.npmrc'), `@mcr:registry=${registry.url}\n`);
  await run('npm', ['install', ...QUIET, '@mcr/core', '@mcr/provider-kubeconfig'], { cwd: directory });
  return directory;
}

async function projectWithEveryPackage() {
  const directory = project(join(scratch, 'every-package'), { type: 'module' });
  const files = packages.map(({ tarball }) => join(tarballs, tarball));
  await run('npm', ['install', ...QUIET, ...files], { cwd: directory });
  // types.ts also uses a user's own metrics and the types of Node.js.
  await run('npm', ['install', ...QUIET, 'prom-client@15', '@types/node@22'], { cwd: directory });
  return directory;
}

function checkLicenses(directory) {
  const missing = packages.filter(({ name }) => !existsSync(join(directory, 'node_modules', name, 'LICENSE')));
  if (missing.length > 0) throw new Error(`packages without a LICENSE: ${missing.map(({ name }) => name).join(', ')}`);
}

async function lint() {
  await inPairs(packages, async ({ tarball }) => {
    await run(bin('publint'), [tarball, '--strict'], { cwd: tarballs });
    // Every package is ESM only, which all supported releases of Node.js can require().
    await run(bin('attw'), [tarball, '--profile', 'esm-only', '--no-emoji', '--quiet'], { cwd: tarballs });
  });
}

async function checkTypes(directory) {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
    ...{ module: 'nodenext', target: 'es2024', lib: ['es2024', 'esnext.disposable'], types: ['node'] },
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.ts'] }));
  await run(bin('tsc'), ['--project', directory]);
}

async function importAll(directory, releases) {
  const names = JSON.stringify(packages.flatMap(importable));
  const esm = `for (const name of ${names}) await import(name);`;
  const cjs = `for (const name of ${names}) require(name);`;
  await inPairs(releases, async ({ path }) => {
    await run(path, ['--input-type=module', '--eval', esm], { cwd: directory });
    await run(path, ['--input-type=commonjs', '--eval', cjs], { cwd: directory });
    for (const { name, manifest } of packages) {
      for (const file of Object.values(manifest.bin ?? {})) {
        await run(path, [join(directory, 'node_modules', name, file), '--help']);
      }
    }
  });
}

/** Returns the modules of a package that are not programs and import no optional dependency. */
function importable({ name, manifest }) {
  const programs = Object.values(manifest.bin ?? {});
  return Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'object' && !programs.includes(target.default))
    .filter(([path]) => !PROGRAMS.includes(path))
    .map(([path]) => name + path.slice(1));
}

/** Bundles each entry into one file, in a directory without `node_modules`. */
async function bundle(directory) {
  const bundles = [];
  for (const [format, extension] of Object.entries({ esm: 'mjs', cjs: 'cjs' })) {
    const file = join(scratch, 'bundles', `bundle.${extension}`);
    const argv = [
      'controller.mjs',
      '--bundle',
      '--platform=node',
      `--format=${format}`,
      '--minify',
      `--outfile=${file}`,
    ];
    await run(bin('esbuild'), [...argv, '--log-level=warning', '--metafile=meta.json'], { cwd: directory });
    const { size } = statSync(file);
    if (size > LARGEST_BUNDLE) throw new Error(`a bundle has ${size} bytes: see ${join(directory, 'meta.json')}`);
    console.log(`   ${format}: ${(size / 1024).toFixed(0)} KiB`);
    bundles.push(file);
  }
  return bundles;
}

/** Creates a project, installs it from the registry, and runs its scripts as its CI does. */
async function createdProject(every, registry) {
  const directory = join(scratch, 'created-operator');
  const program = join(every, 'node_modules', '@mcr', 'create', 'dist', 'create.js');
  const { stdout } = await run(node, [program, directory, '--webhooks']);
  if (!stdout.includes('npm run dev\n')) throw new Error(`npm create @mcr printed: ${stdout}`);
  writeFileSync(join(directory, '.npmrc'), `@mcr:registry=${registry.url}\n`);
  await run('npm', ['install', ...QUIET], { cwd: directory });
  for (const name of ['lint', 'typecheck', 'test', 'generate', 'generate -- --check', 'build']) {
    await run('npm', ['run', ...name.split(' ')], { cwd: directory });
  }
  return directory;
}

async function runControllers(releases, { onlyOne, every, bundles }) {
  const kubeconfig = join(scratch, 'hub.kubeconfig');
  // The embedded API servers run on the oldest supported release.
  const [oldest] = releases;
  const fleet = spawn(oldest.path, ['fleet.mjs', kubeconfig], { cwd: every, stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const signal = AbortSignal.timeout(DEADLINE);
    await Promise.race([
      once(createInterface({ input: fleet.stdout }), 'line', { signal }),
      once(fleet, 'exit', { signal }).then(() => Promise.reject(new Error('the fleet exited early'))),
    ]);
    const programs = [join(onlyOne, 'controller.mjs'), join(onlyOne, 'controller.cjs'), ...bundles];
    const runs = releases.flatMap(({ path, version }) => programs.map((program) => ({ path, version, program })));
    await inPairs(runs, async ({ path, version, program }) => {
      const { stdout } = await run(path, [program], { env: { KUBECONFIG: kubeconfig } });
      if (stdout !== `reconciled settings of member-1 on Node.js ${version}\n`) {
        throw new Error(`${program} on Node.js ${version} printed: ${stdout}`);
      }
      console.log(`   ${program.slice(scratch.length + 1)} on Node.js ${version}`);
    });
    const ended = once(fleet, 'exit', { signal });
    fleet.stdin.end();
    await ended;
  } finally {
    fleet.kill('SIGKILL');
  }
}

function project(directory, manifest) {
  mkdirSync(directory, { recursive: true });
  cpSync(join(root, 'scripts', 'stranger'), directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, ...manifest }));
  return directory;
}

async function step(title, work) {
  const started = Date.now();
  const result = await work();
  console.log(`${title}: ok (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  return result;
}

/** Calls `work` for every item, two at a time. */
async function inPairs(items, work) {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all([worker(), worker()]);
}

/** Runs a command and returns its standard output. */
async function run(file, args, { cwd = root, env = {} } = {}) {
  const PATH = `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`;
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE,
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => (printed[name] += chunk));
  const [code, signal] = await once(child, 'close');
  if (code === 0) return printed;
  const command = [file, ...args].join(' ');
  throw new Error(`${command} in ${cwd}: exit code ${code ?? signal}\n${printed.stdout}${printed.stderr}`);
}
