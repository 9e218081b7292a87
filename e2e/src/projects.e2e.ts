import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AddRequest, addToProject } from '../../packages/create/src/add.ts';
import { runCreate } from '../../packages/create/src/create-program.ts';

const PACKAGE = join(import.meta.dirname, '../../packages/create');
const CONDITION = '@mcr/source';
const CLI = join(PACKAGE, '..', 'cli', 'src', 'mcr.ts');
const TYPES = join(PACKAGE, 'src', 'project-types.fixture.ts');
/** Deadline of a tool, in milliseconds. */
const TIMEOUT = 240_000;

const ignore = (): void => undefined;
const kind = (name: string): AddRequest => ({ part: 'kind', name });
const webhook = (name: string): AddRequest => ({ part: 'webhook', kind: name });
const provider = (name: Extract<AddRequest, { part: 'provider' }>['name']): AddRequest => ({ part: 'provider', name });

/** Each with another provider, or another kind, and with other additions. The first two are tested, too. */
const PROJECTS: readonly [name: string, flags: readonly string[], additions: readonly AddRequest[]][] = [
  [
    'shop-operator',
    ['--kind', 'Shop', '--group', 'shop.example.org', '--webhooks'],
    [kind('Box'), webhook('Box'), provider('file'), provider('capi')],
  ],
  [
    'secrets',
    ['--provider', 'none', '--builtin', 'Secret'],
    [kind('Policy'), webhook('Policy'), webhook('Secret'), provider('kubeconfig')],
  ],
  ['local', ['--provider', 'none', '--webhooks'], []],
  ['capi', ['--provider', 'capi', '--kind', 'Ox', '--sharding'], [provider('inventory'), provider('namespace')]],
  ['config-map-reader', ['--provider', 'file', '--builtin', 'ConfigMap'], [kind('Secret'), webhook('Secret')]],
  ['inventory-operator', ['--provider', 'inventory', '--kind', 'MaintenanceWindow'], [kind('HTTPRoute')]],
  ['tenants', ['--provider', 'namespace', '--builtin', 'ServiceAccount', '--webhooks'], [kind('ConfigMap')]],
];
const tested = PROJECTS.slice(0, 2).map(([name]) => name);

/** Runs a program that this package depends on. */
async function run(cwd: string, program: string, ...args: string[]): Promise<void> {
  const file = program === 'node' ? process.execPath : join(PACKAGE, 'node_modules', '.bin', program);
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT });
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`${program} ${args.join(' ')}: failed\n${out}${error}`);
}

describe('the projects of npm create @mcr, extended by mcr add', () => {
  let workspace: string;
  beforeAll(async () => {
    workspace = await mkdtemp(join(tmpdir(), 'mcr-projects-'));
    for (const [name, flags, additions] of PROJECTS) {
      const terminal = { print: ignore, warn: ignore, env: {}, isInteractive: false };
      expect(await runCreate([join(workspace, name), ...flags], terminal)).toBe(0);
      for (const addition of additions)
        await addToProject(addition, { config: join(workspace, name, 'mcr.config.ts'), dryRun: false, print: ignore });
      // One program for all, because most of the time is for the types of the packages. The tools read those of the sources of
      // this repository.
      const file = join(workspace, name, 'tsconfig.json');
      const config = (await readFile(file, 'utf8'))
        .replace('"noEmit"', `"customConditions": ["${CONDITION}"],\n    "noEmit"`)
        .replace('["mcr.config.ts", "src"]', '["*/mcr.config.ts", "*/src"]');
      await writeFile(join(workspace, 'tsconfig.json'), config);
      await rm(file);
    }
    const [first = ''] = tested;
    await copyFile(join(workspace, first, 'eslint.config.js'), join(workspace, 'eslint.config.js'));
    await symlink(join(PACKAGE, 'node_modules'), join(workspace, 'node_modules'));
  });
  afterAll(() => rm(workspace, { recursive: true }));

  it('WB-1: have a format that prettier accepts', async () => {
    await run(workspace, 'prettier', '--check', ...PROJECTS.map(([name]) => name));
  });

  it('WB-1: have the right types', async () => {
    await run(workspace, 'node', TYPES, workspace);
  }, 300_000);

  it('WB-1: pass their lint', async () => {
    await run(workspace, 'eslint', '--config', 'eslint.config.js', ...PROJECTS.map(([name]) => name));
  }, 300_000);

  it.each(tested)(
    'WB-1: %s passes its tests',
    async (name) => {
      // One process for all files, which loads the packages once.
      const flags = [`--conditions=${CONDITION}`, '--test', '--test-isolation=none'];
      await run(join(workspace, name), 'node', ...flags, 'src/**/*.test.ts');
    },
    300_000,
  );

  it.each([
    ['shop-operator', 'shop'],
    ['secrets', 'secret'],
  ])(
    'WB-3: %s fails its test on an API server, with the line to add, if its code declares too little',
    async (name, folder) => {
      const path = join(workspace, name);
      const file = join(path, 'src', folder, 'controller.ts');
      const code = await readFile(file, 'utf8');
      await writeFile(file, code.replace(/^ *\.requires\(.*\n/gmu, ''));
      try {
        const tests = run(path, 'node', `--conditions=${CONDITION}`, '--test', `src/${folder}/server.test.ts`);
        await expect(tests).rejects.toThrow(/add: ["'`]\.requires\(\{ kind: \w+, .*verbs: \[.*'patch'\]/u);
      } finally {
        await writeFile(file, code);
      }
    },
    300_000,
  );

  it.each(tested)(
    'WB-1, WB-3: %s has stable manifests, and a bundle',
    async (name) => {
      const path = join(workspace, name);
      for (const flags of [[], ['--check']])
        await run(path, 'node', `--conditions=${CONDITION}`, CLI, 'generate', ...flags);
      const argv = ['src/main.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=dist/main.mjs'];
      await run(path, 'esbuild', ...argv, `--conditions=${CONDITION}`);
    },
    300_000,
  );
});
