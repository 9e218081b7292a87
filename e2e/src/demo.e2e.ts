import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigMap, createClient, EventsV1Event, Namespace, Secret } from '@mcr/core';
import { createControlPlaneFleet } from '@mcr/envtest';
import { currentRun } from './backend/run.ts';
import { until } from './until.ts';

const demo = join(import.meta.dirname, '..', '..', 'examples', 'kubeconfig', 'src', 'main.ts');

describe('the demo', () => {
  let scratch: string;
  const running = new Set<ChildProcess>();

  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'mcr-demo-e2e-'));
  });
  afterEach(async () => {
    for (const child of running) child.kill('SIGKILL');
    running.clear();
    await rm(scratch, { recursive: true, force: true });
  });

  /**
   * Runs in a process group and a directory for temporary files of its own, so that the test sees what it leaves
   * behind.
   */
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, ['--conditions=@mcr/source', demo, ...args], {
      detached: true,
      env: { ...process.env, TMPDIR: scratch },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const printed = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => void (printed.stdout += String(chunk)));
    child.stderr.on('data', (chunk) => void (printed.stderr += String(chunk)));
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...printed }));
    const says = (text: string) => until(() => printed.stdout.includes(text) || printed.stderr.includes(text));
    return { child, ended, says, printed: () => printed.stdout };
  };
  const expectNothingLeft = async ({ pid }: ChildProcess) => {
    expect(() => process.kill(-Number(pid), 0)).toThrow('ESRCH');
    expect((await readdir(scratch)).filter((name) => name.startsWith('mcr'))).toEqual([]);
  };

  it('--json prints one document in which every step is ok, and leaves nothing behind', async () => {
    const { child, ended } = start('--json');
    const { code, stdout, stderr } = await ended;

    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toHaveLength(1);
    const report = JSON.parse(stdout) as { ok: boolean; steps: { name: string; ok: boolean }[]; clusters: object };
    expect(report.steps.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.steps).toHaveLength(10);
    expect(Object.keys(report.clusters)).toEqual(['member-1', 'member-2', 'member-3', 'member-4']);
    expect(report.ok).toBe(true);
    expect(code).toBe(0);
    await expectNothingLeft(child);
  });

  it('--stay prints how to reach the fleet, and leaves nothing behind at Ctrl-C', async () => {
    const { child, ended, says, printed } = start('--stay');
    await says('Ctrl-C ends it');
    const page = /http:\S+\/dashboard/u.exec(printed())?.[0] ?? '';
    expect(await (await fetch(page)).text()).toContain('<title>Fleet</title>');
    expect(await (await fetch(page.replace('dashboard', 'fleet'))).json()).toMatchObject({ clusters: { length: 5 } });
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
    await expectNothingLeft(child);
  });

  it('stops at SIGTERM, and reports by its exit code that steps are missing', async () => {
    const { child, ended, says } = start();
    await says('Create three kubeconfig Secrets');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(1);
    await expectNothingLeft(child);
  });

  it('runs read-only on the user’s hub', async () => {
    await using fleet = await createControlPlaneFleet({ members: 1 });
    await using hub = createClient(fleet.hub.config);
    await hub.create(Namespace, { metadata: { name: 'fleet' } });
    for (const { name, kubeconfig } of fleet.members) {
      const labels = { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' };
      await hub.create(Secret, { metadata: { namespace: 'fleet', name, labels }, stringData: { kubeconfig } });
    }
    const [member] = fleet.members;
    if (!member) throw new Error('the fleet has no members');
    await using client = createClient(member.config);
    const key = { namespace: 'default', name: 'settings' };
    const { metadata } = await client.create(ConfigMap, { metadata: key });

    const kubeconfig = join(scratch, 'hub.kubeconfig');
    await writeFile(kubeconfig, fleet.hub.kubeconfig, { mode: 0o600 });
    const { child, ended, says } = start('--kubeconfig', kubeconfig, '--namespace', 'fleet');
    await says('ConfigMap reconciled');
    expect((await client.get(ConfigMap, key)).metadata.resourceVersion).toBe(metadata.resourceVersion);
    // The manager reports a member that stops answering as an event in the hub. One embedded process serves both.
    const isAlone = currentRun().backend === 'binaries';
    await (isAlone ? member.kill() : member.suspend());
    await says('"Unreachable"');
    await (isAlone ? member.restart() : member.resume());
    child.kill('SIGINT');

    expect((await ended).code).toBe(0);
    expect((await hub.list(EventsV1Event)).items).toEqual([]);
    await expectNothingLeft(child);
  });

  it.each([
    { args: ['--kubeconfig', '/x'], code: 2, message: '--namespace' },
    { args: ['--namespace', 'x'], code: 2, message: '--kubeconfig' },
    { args: ['--unheard-of'], code: 2, message: '--unheard-of' },
    { args: ['--kubeconfig', '/nowhere/config', '--namespace', 'x'], code: 1, message: '/nowhere/config' },
  ])('refuses $args with one clear message', async ({ args, code, message }) => {
    const { stdout, stderr, code: actual } = await start(...args).ended;
    expect(actual).toBe(code);
    expect(stderr.split('\n')[0]).toContain(message);
    expect(stdout).toBe('');
  });
});
