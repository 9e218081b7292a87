import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient, Namespace } from '@mcr/core';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createKindStandIn, type KindStandIn, createControlPlaneFleet } from '@mcr/envtest';
import { lacks } from './backend/capabilities.ts';
import { kubeconfigOfContexts } from './backend/kubeconfig.ts';
import { NAME_PREFIX, RUN_LABEL, runIdOf } from './backend/run.ts';
import { parseArguments } from './cli/arguments.ts';
import { CATALOGUE, fileOf } from './cli/catalogue.ts';
import type { RunnerOptions } from './cli/runner-process.ts';
import { RunnerProcess } from './cli/runner-process.ts';

describe('the runner of the scenarios', () => {
  let running: AsyncDisposableStack;
  let directory: string;
  let standIn: KindStandIn;

  beforeEach(async () => {
    running = new AsyncDisposableStack();
    directory = await mkdtemp(join(tmpdir(), 'mcr-runner-'));
    standIn = await createKindStandIn();
  });
  afterEach(async () => {
    await running.disposeAsync();
    await standIn.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const startWith = (options: RunnerOptions, ...args: readonly string[]): RunnerProcess =>
    running.use(new RunnerProcess(args, { path: standIn.path, directory, ...options }));
  const start = (...args: string[]): RunnerProcess => startWith({}, ...args);

  /** Writes a kubeconfig file for each cluster, named like the cluster. */
  const kubeconfigsOf = ({ hub, members }: ControlPlaneFleet): Promise<string[]> =>
    Promise.all(
      [hub, ...members].map(async ({ name, kubeconfig }) => {
        const file = join(directory, name);
        await writeFile(file, kubeconfig, { mode: 0o600 });
        return file;
      }),
    );

  /** The directories of a run, by its output. */
  const directoriesOf = async (printed: string): Promise<string[]> => {
    const id = /^run (\S+)/mu.exec(printed)?.[1] ?? '';
    return (await readdir(tmpdir())).filter((name) => runIdOf(name) === id);
  };

  it('lists every file of tests exactly once', () => {
    const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
    const found = files.filter((file) => file.endsWith('.e2e.ts')).map((file) => join(import.meta.dirname, file));
    expect(CATALOGUE.map(fileOf).sort()).toEqual(found.sort());
  });

  it.each([
    [['nonsense'], 'nonsense: unknown scenario: expected join-and-leave, rotation,'],
    [['--backend', 'minikube'], '--backend minikube: unknown backend: expected embedded, binaries, kind'],
    [['--backend'], '--backend: expected a value'],
    [['--bakend=kind'], '--bakend: unknown option: expected --backend,'],
    [['--image', 'x'], '--image is for --backend kind, found embedded'],
    [['--backend', 'kind', '--existing', 'a'], '--existing and --backend kind exclude each other'],
    [['clean', 'rotation'], 'clean rotation: unknown argument: clean takes'],
  ])('refuses %j with an error that names the argument', (args, message) => {
    expect(() => parseArguments(args)).toThrow(message);
  });

  it('takes names after the kubeconfigs of --existing, and folders of scenarios', () => {
    expect(parseArguments(['--', '--existing', 'hub', 'member', 'rotation'])).toMatchObject({
      backend: 'existing',
      existing: ['hub', 'member'],
      names: ['rotation'],
    });
    const command = parseArguments(['faults']);
    expect(command.type === 'run' && command.names).toContain('faults/watch');
  });

  it('exits with 2 on wrong arguments, and lists what exists with --list', async () => {
    const [wrong, list] = [start('nonsense'), start('--list')];
    for (const [command, code] of [
      [wrong, 2],
      [list, 0],
    ] as const) {
      const result = await command.ended;
      expect(result.printed).toContain('leader-failover');
      expect(result.code).toBe(code);
    }
  });

  it('leaves out what a backend lacks, with the reason', () => {
    const run = {
      id: 'a',
      backend: 'kind',
      clusters: [],
      takenDefinitions: ['clusters.cluster.x-k8s.io'],
      directory,
    } as const;
    expect(lacks(run, { members: 2 })).toBeUndefined();
    expect(lacks(run, { capabilities: ['restart'] })).toContain('backend kind lacks "restart"');
    expect(lacks(run, { definitions: ['clusters.cluster.x-k8s.io'] })).toContain('clusters.cluster.x-k8s.io');
    const given = { ...run, clusters: [{ path: '', context: '' }] };
    expect(lacks(given, { members: 2 })).toBe('needs 2 member clusters, found 0');
  });

  it('plays a scenario on Kind clusters that are named for the run, and deletes them at the end', async () => {
    const runner = start('--backend', 'kind', 'retargeting', 'member-restart');
    await runner.says('[1/2]');
    expect(await standIn.names()).toEqual([
      expect.stringMatching(/^mcr-e2e-.*-hub$/u),
      expect.stringMatching(/^mcr-e2e-.*-member-1$/u),
      expect.stringMatching(/^mcr-e2e-.*-member-2$/u),
    ]);
    const { code, printed } = await runner.ended;
    expect(printed).toMatch(/^retargeting +1 +0 +0 /mu);
    expect(printed).toContain('member-restart: backend kind lacks "restart"');
    expect(printed).toContain('1 passed, 0 failed, 1 skipped on backend kind');
    expect(code).toBe(0);
    expect(await standIn.names()).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('deletes the Kind clusters after %s', async (signal) => {
    const runner = start('--backend', 'kind', 'leader-failover');
    await runner.says('[1/1]');
    runner.child.kill(signal);
    const { code, printed } = await runner.ended;
    expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(await standIn.names()).toEqual([]);
    expect(await directoriesOf(printed)).toEqual([]);
  });

  it('deletes the Kind clusters after SIGINT while they are created', async () => {
    const runner = start('--backend', 'kind', 'leader-failover');
    await runner.says('member-1 ...');
    runner.child.kill('SIGINT');
    expect((await runner.ended).code).toBe(130);
    expect(await standIn.names()).toEqual([]);
  });

  it('ends at once after a second SIGINT, and says what is left to do', async () => {
    await using fleet = await createControlPlaneFleet({ backend: 'embedded', members: 1 });
    const runner = start('--existing', ...(await kubeconfigsOf(fleet)), 'leader-failover');
    await runner.says('[1/1]');
    await fleet.hub.throttle({ requests: 1_000, retryAfterSeconds: 20 });
    runner.child.kill('SIGINT');
    await runner.says('cleaning up ...');
    runner.child.kill('SIGINT');
    const { code, printed } = await runner.ended;
    expect(printed).toContain('SIGINT: not everything is cleaned up: run pnpm e2e clean, with --existing');
    expect(code).toBe(130);
  });

  it('deletes the Kind clusters when its output is closed', async () => {
    const runner = start('--backend', 'kind', 'leader-failover');
    await runner.says('[1/1]');
    runner.child.stdout?.destroy();
    runner.child.stderr?.destroy();
    await once(runner.child, 'exit');
    expect(await standIn.names()).toEqual([]);
  });

  it('clean deletes the Kind clusters of a crashed run, and keeps those of a run in progress', async () => {
    const crashed = start('--backend', 'kind', 'leader-failover');
    await crashed.says('[1/1]');
    crashed.child.kill('SIGKILL');
    // The output is closed once the scenario has ended too.
    const { printed } = await crashed.ended;
    expect(printed).not.toContain('passed');
    expect(await directoriesOf(printed)).not.toEqual([]);
    const mine = `${NAME_PREFIX}${process.pid.toString(36)}-abcdef-hub`;
    await standIn.create(mine);
    expect(await standIn.names()).toHaveLength(4);

    const cleaned = await start('clean').ended;
    expect(cleaned.printed).toContain(`is still in progress (process ${process.pid})`);
    expect(cleaned.code).toBe(0);
    expect(await standIn.names()).toEqual([mine]);
    expect(await directoriesOf(printed)).toEqual([]);
    expect((await start('clean', '--force').ended).code).toBe(0);
    expect(await standIn.names()).toEqual([]);
  });

  it('runs on existing clusters, and leaves nothing behind in them; clean deletes what a crash left', async () => {
    await using fleet = await createControlPlaneFleet({ backend: 'embedded', members: 1 });
    const files = await kubeconfigsOf(fleet);
    const played = await start('--existing', ...files, 'rotation', 'retargeting').ended;
    expect(played.printed).toContain(`hub: context hub of ${files[0] ?? ''}`);
    expect(played.printed).toContain('retargeting: needs 2 member clusters, found 1');
    expect(played.printed).toContain('2 passed, 0 failed, 1 skipped on backend existing');
    const counts = [...played.printed.matchAll(/(\d+) objects before, (\d+) after/gu)];
    expect(counts).toHaveLength(2);
    for (const [, before, after] of counts) expect(after).toBe(before);
    expect(played.code).toBe(0);

    await using hub = createClient(fleet.hub.config);
    const left = { name: `${NAME_PREFIX}zzzzzz-abcdef-rotation`, labels: { [RUN_LABEL]: 'zzzzzz-abcdef' } };
    await hub.create(Namespace, { metadata: left });
    expect((await start('clean', '--existing', ...files).ended).printed).toContain(`deleted Namespace ${left.name}`);
    expect(await hub.find(Namespace, { name: left.name })).toBeUndefined();
  });

  it('two runs at once on the same clusters do not disturb each other', async () => {
    await using fleet = await createControlPlaneFleet({ backend: 'embedded', members: 1 });
    const files = await kubeconfigsOf(fleet);
    const runs = [start('--existing', ...files, 'rotation'), start('--existing', ...files, 'rotation')];
    for (const { ended } of runs) {
      const { code, printed } = await ended;
      expect(printed).toContain('2 passed, 0 failed, 0 skipped on backend existing');
      expect(code).toBe(0);
    }
  });

  it('takes relative paths from the directory in which the user started it', async () => {
    await using fleet = await createControlPlaneFleet({ backend: 'embedded', members: 0 });
    await kubeconfigsOf(fleet);
    const { code, printed } = await start('--existing', 'hub', 'provider-namespace').ended;
    expect(printed).toContain('1 passed, 0 failed, 0 skipped on backend existing');
    expect(code).toBe(0);
  });

  it('refuses the same cluster twice', async () => {
    await using fleet = await createControlPlaneFleet({ backend: 'embedded', members: 0 });
    const [file = ''] = await kubeconfigsOf(fleet);
    const { code, printed } = await start('--existing', file, file, 'rotation').ended;
    expect(printed).toContain(`context hub of ${file} and context hub of ${file} reach the same cluster`);
    expect(code).toBe(2);
  });

  it('exits with 2 and one clear message if clusters, programs or files cannot be used', async () => {
    const [garbage, unreachable] = [join(directory, 'garbage'), join(directory, 'unreachable')];
    await writeFile(garbage, 'clusters: [');
    await writeFile(unreachable, kubeconfigOfContexts({ gone: { server: 'https://127.0.0.1:1' } }));
    const empty = { path: directory, env: { KUBEBUILDER_ASSETS: directory } };
    for (const [args, message, options] of [
      [['--existing', 'nowhere', 'sync'], '--existing nowhere: no such file, and no scenario of this name'],
      [['--existing', directory, 'sync'], `--existing ${directory}: EISDIR`],
      [['--existing', garbage, 'sync'], `--existing: kubeconfig ${garbage}: is not valid YAML`],
      [
        ['--existing', unreachable, 'sync'],
        `context gone of ${unreachable} cannot be used: 127.0.0.1:1: connection refused`,
      ],
      [['--results', 'nowhere/results.json', 'sync'], '--results nowhere/results.json: cannot be written: ENOENT'],
      [['--backend', 'binaries', 'sync'], `needs the program ${join(directory, 'etcd')}`, empty],
      [['--backend', 'kind', 'sync'], '--backend kind: program kind not found in PATH', empty],
      [['clean'], '--backend kind: program kind not found in PATH', empty],
    ] as const) {
      const { code, printed } = await startWith(options ?? {}, ...args).ended;
      expect(printed).toContain(message);
      expect(printed).not.toContain('    at ');
      expect(code).toBe(2);
    }
  });
});
