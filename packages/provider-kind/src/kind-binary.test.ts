import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, Namespace, parseKubeconfig, systemClock } from '@mcr/core';
import { eventually, VirtualClock } from '@mcr/core/testing';
import { createKindStandIn, type KindStandIn } from '@mcr/envtest';
import { runCommand } from './command.ts';
import { createKindBinary, type KindBinary } from './kind-binary.ts';

describe('KindBinary', () => {
  let standIn: KindStandIn;
  let kind: KindBinary;
  let directory: string;
  const { signal } = new AbortController();

  beforeAll(async () => {
    standIn = await createKindStandIn();
    kind = createKindBinary({ binary: standIn.binary });
    directory = await mkdtemp(join(tmpdir(), 'mcr-program-'));
  });
  afterAll(async () => {
    await standIn.stop();
    await rm(directory, { recursive: true });
  });

  const program = async (name: string, script: string) => {
    const path = join(directory, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  };

  it('CA-5: creates and deletes a cluster, and deletes it again', async () => {
    expect(await kind.clusters(signal)).toEqual([]);
    const kubeconfig = await kind.create('eu', { signal });
    expect(kubeconfig).toBe(await kind.kubeconfig('eu', signal));
    expect(await kind.clusters(signal)).toEqual(['eu']);
    await using client = createClient(parseKubeconfig(kubeconfig, { policy: 'untrusted' }));
    await client.get(Namespace, { name: 'default' });
    await expect(kind.create('eu', { signal })).rejects.toThrow(/node\(s\) already exist/);

    await kind.delete('eu', signal);
    await kind.delete('eu', signal);
    expect(await kind.clusters(signal)).toEqual([]);
    await expect(kind.kubeconfig('eu', signal)).rejects.toThrow(/could not locate any control plane nodes/);
  });

  it('KD-1: passes the container runtime and arguments without a shell', async () => {
    const said = join(directory, 'said');
    const binary = await program('kind', `echo "$KIND_EXPERIMENTAL_PROVIDER|$*" >> '${said}'`);
    const podman = createKindBinary({ binary, containerRuntime: 'podman' });
    await podman.kubeconfig('eu; touch $(HOME)', signal);
    await podman.delete('--all', signal);
    const [first, second] = (await readFile(said, 'utf8')).split('\n');
    expect(first).toBe('podman|get kubeconfig --name=eu; touch $(HOME)');
    expect(second).toMatch(/^podman\|delete cluster --name=--all --kubeconfig=/);
  });

  it('KD-2: kills the program and its child processes after a timeout', async () => {
    const pid = join(directory, 'pid');
    const binary = await program('hanging', `sleep 600 & echo $! > '${pid}'; wait`);
    const clock = new VirtualClock();
    const asked = createKindBinary({ binary, clock }).clusters(signal);
    const sleeping = await eventually(async () => Number(await readFile(pid, 'utf8')) || false);
    const failed = expect(asked).rejects.toThrow(/get clusters: timed out after 10000 ms/);
    await clock.advance(10_000);
    await failed;
    await eventually(async () => !(await isRunning(sleeping)));
    expect(clock.pendingTimers).toBe(0);
  });

  it('KD-2: returns the output of a program that ended in time, also after a pause of this process', async () => {
    const pidFile = join(directory, 'quick-pid');
    const binary = await program('quick', `echo $$ > '${pidFile}'; echo done`);
    const call = { program: binary, args: [], env: process.env, timeout: 300, clock: systemClock, signal };
    const printed = runCommand(call);
    const timedOutAt = performance.now() + 300;
    const giveUpAt = performance.now() + 30_000;
    while (performance.now() < timedOutAt || (!hasEnded(pidFile) && performance.now() < giveUpAt));
    await expect(printed).resolves.toBe('done\n');
  });

  it('kills the program when the signal aborts', async () => {
    const binary = await program('slow', 'exec sleep 600');
    const end = new AbortController();
    const asked = createKindBinary({ binary }).clusters(end.signal);
    end.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect(createKindBinary({ binary }).clusters(end.signal)).rejects.toThrow('enough');
  });

  it('names a missing program, and the exit code of a silent one', async () => {
    await expect(createKindBinary({ binary: 'no-such-kind' }).clusters(signal)).rejects.toMatchObject({
      failure: 'missing',
    });
    const binary = await program('silent', 'exit 3');
    await expect(createKindBinary({ binary }).clusters(signal)).rejects.toThrow(`${binary} get clusters: exit code 3`);
  });
});

/** Whether the process whose ID is in a file has ended. Blocks this process. */
function hasEnded(pidFile: string): boolean {
  const pid = existsSync(pidFile) && Number(readFileSync(pidFile, 'utf8'));
  if (!pid) return false;
  const status = `/proc/${pid}/status`;
  return !existsSync(status) || isEnd(readFileSync(status, 'utf8'));
}

/** A process that has ended may exist as a zombie until its parent reads the exit code. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State:\tX');
  return !isEnd(status);
}

function isEnd(status: string): boolean {
  return /^State:\s+[XZ]/m.test(status);
}
