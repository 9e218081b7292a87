import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigMap, createClient, Namespace, Secret } from '@mcr/core';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';

/** Inside this package, so that the programs find what they import. */
const PROGRAMS = join(import.meta.dirname, '..', '.mcr');

describe('the first program of a document', () => {
  let fleet: ControlPlaneFleet;
  let directory: string;
  let kubeconfig: string;

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 1 });
    await using hub = createClient(fleet.hub.config);
    await hub.create(Namespace, { metadata: { name: 'fleet' } });
    for (const member of fleet.members) {
      await hub.create(Secret, {
        metadata: {
          namespace: 'fleet',
          name: member.name,
          labels: { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' },
        },
        stringData: { kubeconfig: member.kubeconfig },
      });
      await using client = createClient(member.config);
      await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'settings' } });
    }
    directory = await mkdtemp(join(tmpdir(), 'mcr-readme-'));
    kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, fleet.hub.kubeconfig, { mode: 0o600 });
    await mkdir(PROGRAMS, { recursive: true });
  });

  afterAll(async () => {
    await fleet.stop();
    await rm(directory, { recursive: true, force: true });
    await rm(PROGRAMS, { recursive: true, force: true });
  });

  it.each(['README.md', 'packages/core/README.md', 'packages/provider-kubeconfig/README.md', 'docs/reconcile-loop.md'])(
    '%s: runs unchanged except for a port, finds the ConfigMap of the member, and stops at Ctrl-C',
    async (readme) => {
      const program = join(PROGRAMS, `${readme.replaceAll('/', '-')}.ts`);
      // The default port may serve something else on this machine.
      const source = await firstProgram(readme);
      await writeFile(program, source.replace('createManager({', "createManager({ metrics: { bindAddress: '0' },"));
      const child = spawn(process.execPath, ['--conditions=@mcr/source', program], {
        env: { ...process.env, KUBECONFIG: kubeconfig },
        stdio: ['ignore', 'inherit', 'pipe'],
      });
      const exited = once(child, 'exit', { signal: AbortSignal.timeout(120_000) });
      const printed: string[] = [];
      let isInterrupted = false;
      createInterface({ input: child.stderr }).on('line', (line) => {
        printed.push(line);
        // A second Ctrl-C would end it without cleaning up.
        if (!isInterrupted && /ConfigMap found|seen/u.test(line)) isInterrupted = child.kill('SIGINT');
      });
      try {
        expect(await exited).toEqual([0, null]);
        expect(printed.join('\n')).toMatch(/member-1/u);
      } finally {
        child.kill('SIGKILL');
      }
    },
  );
});

it('packages/apiserver/README.md: the first program runs unchanged and prints the namespaces', async () => {
  await mkdir(PROGRAMS, { recursive: true });
  const directory = await mkdtemp(join(PROGRAMS, 'apiserver-'));
  try {
    const program = join(directory, 'main.ts');
    await writeFile(program, await firstProgram('packages/apiserver/README.md'));
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@mcr/source', program]);
    expect(stdout).toBe("[ 'default', 'kube-node-lease', 'kube-public', 'kube-system' ]\n");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

it('packages/envtest/README.md: the test passes in Jest with the configuration', async () => {
  await mkdir(PROGRAMS, { recursive: true });
  const directory = await mkdtemp(join(PROGRAMS, 'jest-'));
  try {
    const readme = 'packages/envtest/README.md';
    await writeFile(join(directory, 'jest.config.js'), await programOf(readme, /```js\n(.*?)```/su));
    await writeFile(
      join(directory, 'settings.test.ts'),
      await programOf(readme, /```ts\n(import [^\n]* '@jest.*?)```/su),
    );
    const jest = join(import.meta.dirname, '..', '..', 'node_modules', 'jest', 'bin', 'jest.js');
    // The packages are not built here.
    const fromSources = JSON.stringify({ customExportConditions: ['@mcr/source', 'node'] });
    const args = ['--experimental-vm-modules', jest, `--testEnvironmentOptions=${fromSources}`];
    const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: directory });
    expect(stderr).toContain('1 passed, 1 total');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

function firstProgram(readme: string): Promise<string> {
  return programOf(readme, /```ts\n(.*?)```/su);
}

async function programOf(readme: string, pattern: RegExp): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '..', '..', readme), 'utf8');
  const program = pattern.exec(text)?.[1];
  if (program === undefined) throw new Error(`${readme} has no program that matches ${String(pattern)}`);
  return program;
}
