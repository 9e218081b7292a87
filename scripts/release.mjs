// Builds and packs every published package, and publishes the tarballs: `pnpm release --help`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { pnpm } from './pnpm.mjs';
import { publishedPackages, root } from './published-packages.mjs';
import { install, rebuild, run } from './steps.mjs';

const USAGE = `usage: pnpm release [--dry-run] [--out DIR] [--from DIR] [--provenance] [--tag TAG] [--registry URL]

Builds every package that is not private, packs it, and publishes the tarballs with npm, each after the packages that
it depends on. Skips versions that the registry has. Refuses the tag latest for a version older than the registry's latest. Versions and changelogs come from \`pnpm release:version\`.

  --dry-run       publish nothing; needs no account, tag, registry or clean work tree
  --out DIR       write the tarballs to DIR
  --from DIR      publish the tarballs of an earlier run in DIR, without building
  --provenance    attest where and how the tarballs were built; only in GitHub Actions and GitLab CI
  --tag TAG       npm distribution tag (default: latest)
  --registry URL  default: from npm's configuration`;

const options = parse();
// Paths are relative to the directory of the caller, which npm and pnpm pass to scripts.
const callerDirectory = (process.env.npm_lifecycle_event === 'release' && process.env.INIT_CWD) || process.cwd();
const scratch = mkdtempSync(join(tmpdir(), 'mcr-release-'));
try {
  await release();
} catch (error) {
  console.error(`release failed: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function parse() {
  try {
    const { values } = parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        out: { type: 'string' },
        from: { type: 'string' },
        provenance: { type: 'boolean', default: false },
        tag: { type: 'string', default: 'latest' },
        registry: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (values.from !== undefined && (values.out !== undefined || values['dry-run'])) {
      throw new Error('--from cannot be combined with --out or --dry-run: remove them');
    }
    return values;
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function release() {
  const { out, from } = options;
  const packages = publishedPackages();
  const tarballs =
    from === undefined ? (out === undefined ? scratch : inCallerDirectory(out)) : inCallerDirectory(from);
  if (from === undefined) {
    if (!options['dry-run']) refuseDirtyWorkTree();
    await pack(packages, tarballs);
  }
  const missing = packages.filter(({ tarball }) => !readdirSync(tarballs).includes(tarball));
  if (missing.length > 0) {
    throw new Error(`${tarballs} has no ${missing.map(({ tarball }) => tarball).join(', ')}: run it without --from`);
  }
  if (options['dry-run']) return;
  for (const entry of unpublished(packages)) publish(entry, join(tarballs, entry.tarball));
}

async function pack(packages, destination) {
  await install();
  await rebuild();
  mkdirSync(destination, { recursive: true });
  const filters = packages.flatMap(({ name }) => ['--filter', name]);
  const code = await run(pnpm('--recursive', ...filters, 'pack', '--pack-destination', destination), {
    output: 'quiet',
  });
  if (code !== 0) throw new Error(`pnpm pack exited with code ${code}`);
  for (const { tarball } of packages) console.log(join(destination, tarball));
}

/** Returns the packages whose version the registry does not have. */
function unpublished(packages) {
  return packages.filter(({ name, version }) => {
    const { versions, latest } = publishedVersions(name);
    if (versions.includes(version)) {
      console.log(`${name}@${version}: already published`);
      return false;
    }
    // Otherwise `npm install` would take the older version.
    if (options.tag === 'latest' && latest !== undefined && isOlder(version, latest))
      throw new Error(`${name}@${version}: the registry has ${latest}: set another tag, such as --tag previous`);
    return true;
  });
}

function isOlder(version, other) {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}

function publish({ name, version }, tarball) {
  const flags = ['--access', 'public', '--tag', options.tag, ...(options.provenance ? ['--provenance'] : [])];
  const { status, error } = npm(['publish', tarball, '--loglevel', 'warn', ...flags], 'inherit');
  if (error || status !== 0)
    throw new Error(`${name}@${version}: npm publish: ${error?.message ?? `exit code ${status}`}`);
  console.log(`${name}@${version}: published`);
}

/** Returns the versions of a package in the registry, and the one that `npm install` takes. */
function publishedVersions(name) {
  const { status, stdout, stderr, error } = npm(['view', name, 'versions', 'dist-tags', '--json'], 'pipe');
  if (status === 0) {
    const { versions, 'dist-tags': tags } = JSON.parse(stdout);
    return { versions: [versions].flat(), latest: tags.latest };
  }
  if (stdout.includes('E404')) return { versions: [] };
  throw new Error(`${name}: failed to query the registry: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
}

function npm(args, stdio) {
  const registry = options.registry === undefined ? [] : ['--registry', options.registry];
  return spawnSync('npm', [...args, ...registry], { cwd: scratch, encoding: 'utf8', stdio });
}

/** Published tarballs must match a commit. */
function refuseDirtyWorkTree() {
  const { status, stdout } = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error('git status failed: publish from a clone of the repository');
  if (stdout !== '') throw new Error(`the work tree has changes: commit them first, or use --dry-run\n${stdout}`);
}

function inCallerDirectory(path) {
  return resolve(callerDirectory, path);
}
