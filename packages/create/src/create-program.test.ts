import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pluralOf } from './answers.ts';
import { runCreate } from './create-program.ts';

const PACKAGE = join(import.meta.dirname, '..');
const CONDITION = '@mcr/source';
const CLI = join(PACKAGE, '..', 'cli', 'src', 'mcr.ts');

async function create(...args: string[]): Promise<{ status: number; out: string }> {
  let out = '';
  const print = (part: string): void => void (out += part);
  const status = await runCreate(args, { print, warn: print, isInteractive: false });
  return { status, out };
}

describe('npm create @mcr', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-create-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  /** Runs a program that this package depends on. */
  async function run(cwd: string, program: string, ...args: string[]): Promise<void> {
    const file = program === 'node' ? process.execPath : join(PACKAGE, 'node_modules', '.bin', program);
    const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: 240_000 });
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (child.exitCode !== 0) throw new Error(`${program} ${args.join(' ')}: failed\n${out}${error}`);
  }

  it('WB-1: asks nothing without a terminal, and prints the next commands', async () => {
    const path = join(directory, 'my-operator');
    const { status, out } = await create(path);
    expect(out).toBe(`Created my-operator. Next:\n\n  cd ${path} && npm install\n  npm run generate\n  npm test\n`);
    expect(status).toBe(0);
    expect((await readdir(path, { recursive: true })).sort()).toEqual(
      [
        ...['.dockerignore', '.github', '.github/workflows', '.github/workflows/ci.yml', '.gitignore'],
        ...['.prettierignore', '.prettierrc.json', 'Dockerfile', 'README.md', 'eslint.config.js', 'mcr.config.ts'],
        ...['package.json', 'src', 'src/controller.test.ts', 'src/controller.ts', 'src/fleet.ts', 'src/kinds.ts'],
        ...['src/main.ts', 'src/server.test.ts', 'src/setup.ts', 'tsconfig.json'],
      ].sort(),
    );
    const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
    expect(JSON.parse(await readFile(join(path, 'package.json'), 'utf8'))).toMatchObject({
      name: 'my-operator',
      dependencies: { '@mcr/core': `^${version}`, '@mcr/provider-kubeconfig': `^${version}`, zod: '^4.6.7' },
    });
    expect(await create(path)).toEqual({
      status: 1,
      out: `create: ${path} is not empty: choose another directory\n`,
    });
  });

  it.each([
    [
      ['a', '--provider', 'kubeconfg'],
      "option '--provider <name>' argument 'kubeconfg' is invalid. Allowed choices are",
    ],
    [['a', '--providr', 'none'], "create: unknown option '--providr'\n(Did you mean --provider?)"],
    [['a', '--kind', 'greeting'], 'expected a name in CamelCase such as "Greeting"'],
    [['a', '--kind', 'Manager'], 'the code of the project uses the name Manager itself'],
    [['a', '--kind', 'Promise'], 'the code of the project uses the name Promise itself'],
    [['a', '--group', 'example'], 'expected a group with a dot'],
    [
      ['a', '--builtin', 'Secret', '--kind', 'A'],
      "option '--builtin <kind>' cannot be used with option '--kind <name>'",
    ],
    [['a', 'b'], 'too many arguments'],
  ])('WB-1: refuses %j', async (args, message) => {
    const { status, out } = await create(...args);
    expect(out).toContain(message);
    expect(status).toBe(2);
  });

  it('WB-1: refuses a name that Kubernetes would refuse, and writes nothing', async () => {
    const { status, out } = await create(join(directory, 'My_Operator'));
    expect(out).toContain('My_Operator is not a name for a Deployment: choose a directory of at most 50');
    expect(status).toBe(1);
    expect(await readdir(directory)).not.toContain('My_Operator');
  });

  it('WB-1: guesses the plural of a kind', () => {
    expect(['Greeting', 'Policy', 'Gateway', 'Class', 'Box'].map(pluralOf)).toEqual([
      ...['greetings', 'policies', 'gateways', 'classes', 'boxes'],
    ]);
  });

  describe('the projects', () => {
    /** Each with another provider, or another kind. The first two are linted and tested, too. */
    const PROJECTS: readonly [name: string, flags: readonly string[]][] = [
      ['shop-operator', ['--kind', 'Shop', '--group', 'shop.example.org', '--webhooks']],
      ['secrets', ['--provider', 'none', '--builtin', 'Secret', '--webhooks']],
      ['local', ['--provider', 'none', '--webhooks']],
      ['capi', ['--provider', 'capi', '--kind', 'Ox']],
      ['config-map-reader', ['--provider', 'file', '--builtin', 'ConfigMap']],
      ['inventory-operator', ['--provider', 'inventory', '--kind', 'MaintenanceWindow']],
      ['tenants', ['--provider', 'namespace', '--builtin', 'ServiceAccount', '--webhooks']],
    ];
    const tested = PROJECTS.slice(0, 2).map(([name]) => name);
    let workspace: string;
    beforeAll(async () => {
      workspace = join(directory, 'workspace');
      for (const [name, flags] of PROJECTS) {
        expect(await create(join(workspace, name), ...flags)).toMatchObject({ status: 0 });
        // The tools read the types of the sources of this repository.
        const file = join(workspace, name, 'tsconfig.json');
        const text = await readFile(file, 'utf8');
        await writeFile(file, text.replace('"noEmit"', `"customConditions": ["${CONDITION}"],\n    "noEmit"`));
      }
      await symlink(join(PACKAGE, 'node_modules'), join(workspace, 'node_modules'));
    });

    it('WB-1: have a format that prettier accepts', async () => {
      await run(workspace, 'prettier', '--check', ...PROJECTS.map(([name]) => name));
    });

    it('WB-1: have the right types', async () => {
      // One program for all, because most of the time is for the types of the packages.
      const extended = join(workspace, PROJECTS[0]?.[0] ?? '', 'tsconfig.json');
      await writeFile(
        join(workspace, 'tsconfig.json'),
        JSON.stringify({ extends: extended, include: ['*/mcr.config.ts', '*/src'] }),
      );
      await run(workspace, 'tsc', '--noEmit');
    }, 300_000);

    it('WB-1: pass their lint', async () => {
      await run(workspace, 'eslint', ...tested);
    }, 300_000);

    it.each(tested)(
      'WB-1: %s passes its tests',
      async (name) => {
        await run(join(workspace, name), 'node', `--conditions=${CONDITION}`, '--test', 'src/**/*.test.ts');
      },
      300_000,
    );

    it.each(tested)(
      'WB-3: %s fails its test on an API server, with the line to add, if its code declares too little',
      async (name) => {
        const file = join(workspace, name, 'src', 'controller.ts');
        const code = await readFile(file, 'utf8');
        await writeFile(file, code.replace(/^ *\.requires\(.*\n/gmu, ''));
        try {
          const tests = run(join(workspace, name), 'node', `--conditions=${CONDITION}`, '--test', 'src/server.test.ts');
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
});
