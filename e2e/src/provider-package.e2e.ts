import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const PACKED = ['apiserver', 'client', 'core', 'envtest', 'provider-conformance'].map((name) => `packages/${name}`);
const EXAMPLE = join('examples', 'provider-http');

interface Manifest {
  readonly name: string;
  readonly packageManager: string;
}

describe('a provider package of a third party', () => {
  let stranger: string;

  beforeAll(async () => {
    stranger = await mkdtemp(join(tmpdir(), 'mcr-stranger-'));
  });

  afterAll(() => rm(stranger, { recursive: true, force: true }));

  const run = (file: string, args: readonly string[], cwd: string) => {
    const env = { ...process.env, PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}` };
    return promisify(execFile)(file, args, { cwd, env, maxBuffer: 2 ** 26 }).catch((error: unknown) => {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${[file, ...args].join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
    });
  };
  const manifestOf = async (folder: string) =>
    JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;

  /** @returns name and tarball. */
  const pack = async (folder: string): Promise<[string, string]> => {
    const { packageManager } = await manifestOf('.');
    const { name } = await manifestOf(folder);
    await run('npx', ['--yes', packageManager, 'pack', '--pack-destination', stranger], join(ROOT, folder));
    const prefix = `${name.replace('@', '').replace('/', '-')}-`;
    const file = (await readdir(stranger)).find(
      (entry) => entry.startsWith(prefix) && /^\d/.test(entry.slice(prefix.length)),
    );
    if (!file) throw new Error(`no tarball of ${name} in ${stranger}`);
    return [name, `file:${join(stranger, file)}`];
  };

  it('PV-1, PV-2: passes conformance with only packed packages installed', async () => {
    const tarballs: Record<string, string> = {};
    await run(process.execPath, ['scripts/run.mjs', 'build'], ROOT);
    await run('tsup', ['--config', '../../tsup.config.ts'], join(ROOT, EXAMPLE));
    for (const folder of [...PACKED, EXAMPLE]) {
      const [name, tarball] = await pack(folder);
      tarballs[name] = tarball;
    }
    const manifest = { name: 'stranger', private: true, type: 'module', dependencies: tarballs, overrides: tarballs };
    await writeFile(join(stranger, 'package.json'), JSON.stringify(manifest));
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'], stranger);
    // Installs one copy of core: contracts of a second copy would not match.
    const { stdout: tree } = await run('npm', ['ls', '--all', '--parseable', '@mcr/core'], stranger);
    expect(tree.trim().split('\n')).toHaveLength(1);

    const test = 'http-provider.conformance.ts';
    for (const file of [test, 'inventory-server.fixture.ts']) {
      await cp(join(ROOT, EXAMPLE, 'src', file), join(stranger, file));
    }
    const { stdout } = await run('node', ['--test', '--test-reporter=tap', test], stranger);
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(25);
  }, 600_000);
});
