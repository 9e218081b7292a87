import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pluralOf } from './answers.ts';
import { runCreate } from './create-program.ts';

const PACKAGE = join(import.meta.dirname, '..');

async function create(...args: string[]): Promise<{ status: number; out: string }> {
  let out = '';
  const print = (part: string): void => void (out += part);
  const status = await runCreate(args, { print, warn: print, env: {}, isInteractive: false });
  return { status, out };
}

describe('npm create @mcr', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-create-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('WB-1: asks nothing without a terminal, and prints the next commands', async () => {
    const path = join(directory, 'my-operator');
    const { status, out } = await create(path);
    expect(out).toBe(
      `Created my-operator. Next:\n\n  cd ${path} && npm install\n  npm test\n  npm run dev\n\nnpm run dev shows the fleet page.\n`,
    );
    expect(status).toBe(0);
    expect((await readdir(path, { recursive: true })).sort()).toEqual(
      [
        ...['.dockerignore', '.github', '.github/workflows', '.github/workflows/ci.yml', '.gitignore', '.npmrc'],
        ...['.prettierignore', '.prettierrc.json', 'Dockerfile', 'README.md', 'eslint.config.js', 'mcr.config.ts'],
        ...['package.json', 'src', 'src/fleet.ts', 'src/greeting', 'src/greeting/controller.test.ts'],
        ...['src/greeting/controller.ts', 'src/greeting/kind.ts', 'src/greeting/server.test.ts', 'src/kinds.ts'],
        ...['src/main.ts', 'src/providers', 'src/providers/kubeconfig.ts', 'src/setup.ts', 'tsconfig.json'],
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
      "option '--provider <name>' argument 'kubeconfg' is invalid. expected one of kubeconfig, none, file, capi, inventory, namespace\n(Did you mean kubeconfig?)\n",
    ],
    [['a', '--providr', 'none'], "create: unknown option '--providr'\n(Did you mean --provider?)"],
    [['a', '--kind', 'dark-greeting'], 'expected a name in CamelCase such as "DarkGreeting"'],
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
    expect(out).toContain(' such as my-operator\n');
    expect(status).toBe(1);
    expect(await readdir(directory)).not.toContain('My_Operator');
  });

  it('WB-1: refuses a file in place of the directory, and accepts a new Git repository', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    expect(await create(file)).toEqual({ status: 1, out: `create: ${file}: it is a file: choose another directory\n` });
    expect(await create('')).toEqual({
      status: 1,
      out: `create: ${process.cwd()} is not empty: choose another directory\n`,
    });
    const repository = join(directory, 'with spaces', 'repository');
    await mkdir(join(repository, '.git'), { recursive: true });
    const { status, out } = await create(repository);
    expect(out).toContain(`  cd '${repository}' && npm install\n`);
    expect(status).toBe(0);
  });

  (process.platform === 'linux' ? it : it.skip)('WB-1: ends where no directory can be made', async () => {
    expect(await create('/proc/my-operator')).toMatchObject({ status: 1, out: expect.stringContaining('ENOENT') });
  });

  it('WB-1: refuses options that npm took for itself, instead of leaving them out', async () => {
    let out = '';
    const print = (part: string): void => void (out += part);
    const env = { npm_config_webhooks: 'true', npm_config_provider: 'none', npm_config_yes: 'true' };
    const terminal = { print, warn: print, env, isInteractive: false };
    expect(await runCreate([join(directory, 'taken'), 'none'], terminal)).toBe(2);
    out = '';
    expect(await runCreate([join(directory, 'taken')], terminal)).toBe(2);
    expect(out).toBe(
      'create: npm took --provider --webhooks for itself: write "--" before the options, as in\n  npm create @mcr my-operator -- --provider none\n',
    );
    expect(await readdir(directory)).not.toContain('taken');
  });

  it('WB-1: Ctrl-C in a question exits with 130, and writes nothing', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    output.once('data', () => setImmediate(() => input.write('\u0003')));
    const ignore = (): void => undefined;
    const terminal = { print: ignore, warn: ignore, env: {}, isInteractive: true, streams: { input, output } };
    expect(await runCreate([join(directory, 'cancelled')], terminal)).toBe(130);
    expect(await readdir(directory)).not.toContain('cancelled');
  });

  it('WB-1: --sharding lets the replicas share the clusters', async () => {
    const path = join(directory, 'sharded');
    expect(await create(path, '--sharding')).toMatchObject({ status: 0 });
    const config = await readFile(join(path, 'mcr.config.ts'), 'utf8');
    expect(config).toContain("    sharding: { name: 'sharded', namespace: 'sharded' },\n");
    expect(config).not.toContain('leaderElection');
  });

  it('WB-1: guesses the plural of a kind', () => {
    expect(['Greeting', 'Policy', 'Gateway', 'Class', 'Box'].map(pluralOf)).toEqual([
      ...['greetings', 'policies', 'gateways', 'classes', 'boxes'],
    ]);
  });
});
