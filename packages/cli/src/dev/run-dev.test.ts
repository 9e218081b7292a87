import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, loadKubeconfig, Secret } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { runMcr } from '../command/mcr-program.ts';

const CLI = join(import.meta.dirname, '..', 'mcr.ts');
/** Deadline of each step, in milliseconds. */
const WITHIN = { deadline: 50_000 };

const CONFIG = `
import { Secret } from '@mcr/core';
export default {
  name: 'a',
  manager: () => ({ metrics: { bindAddress: '0' }, leaderElection: { id: 'a', namespace: 'a' } }),
  setup: ({ permissions }) =>
    permissions.require('inventory', [{ kind: Secret, verbs: ['list'], namespaces: ['fleet'], in: 'local' }]),
};
`;
const mainOf = (word: string) => `
import { createManager, shutdownSignal } from '@mcr/core';
import config from './mcr.config.ts';
const manager = await createManager(config.manager());
await config.setup(manager);
void manager.elected.then(() => console.log(\`${word} leads as \${process.pid}\`));
await manager.start(shutdownSignal().signal);
`;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('mcr dev', () => {
  let directory: string;
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-dev-'));
    await symlink(join(import.meta.dirname, '..', '..', 'node_modules'), join(directory, 'node_modules'));
    await writeFile(join(directory, 'mcr.config.ts'), CONFIG);
    await writeFile(join(directory, 'main.ts'), mainOf('first'));
  });
  afterAll(async () => {
    child?.kill('SIGKILL');
    await rm(directory, { recursive: true });
  });

  it('WB-2: runs the program on a fleet, restarts it with the same fleet, and leaves no process', async () => {
    const argv = ['--conditions=@mcr/source', CLI, 'dev', '--main', 'main.ts', '--members', '1'];
    child = spawn(process.execPath, argv, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (out += String(text)));
    const matched = (pattern: RegExp): Promise<string> =>
      eventually(() => {
        const [, value] = pattern.exec(out) ?? [];
        if (value === undefined) throw new Error(`no ${String(pattern)} in:\n${out}`);
        return value;
      }, WITHIN);

    const kubeconfig = await matched(/^export KUBECONFIG=(.*)$/mu);
    const first = Number(await matched(/^first leads as (\d+)$/mu));
    await using client = createClient(loadKubeconfig({ path: kubeconfig }));
    const secret = await client.get(Secret, { namespace: 'fleet', name: 'member-1' });
    expect(Buffer.from(secret.data?.['kubeconfig'] ?? '', 'base64').toString()).toContain('server: https://127.0.0.1:');

    await writeFile(join(directory, 'main.ts'), mainOf('second'));
    const second = Number(await matched(/^second leads as (\d+)$/mu));
    expect(isRunning(first)).toBe(false);
    expect((await client.get(Secret, { namespace: 'fleet', name: 'member-1' })).metadata.uid).toBe(secret.metadata.uid);

    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(130);
    expect(isRunning(second)).toBe(false);
    await expect(readFile(kubeconfig)).rejects.toThrow('ENOENT');
  }, 180_000);

  it('WB-2: says what to do without a program', async () => {
    let text = '';
    const print = (part: string): void => void (text += part);
    const { signal } = new AbortController();
    const status = await runMcr(['dev', '--config', join(directory, 'mcr.config.ts'), '--main', 'absent.ts'], {
      print,
      warn: print,
      signal,
    });
    expect(text).toMatch(/^mcr: --main: .*absent\.ts: no such file: set --main <file> to the program\n$/u);
    expect(status).toBe(1);
  });
});
