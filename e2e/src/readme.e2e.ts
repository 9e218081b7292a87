import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '@mcr/core';
import { ConfigMap, createClient, defineKind, Namespace, Secret } from '@mcr/core';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlane, createControlPlaneFleet } from '@mcr/envtest';
import { parseAllDocuments } from 'yaml';

/** Inside this package, so that the programs find what they import. */
const PROGRAMS = join(import.meta.dirname, '..', '.mcr', 'readme');

const ROOT = join(import.meta.dirname, '..', '..');

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
    'WB-12: %s: runs unchanged except for a port, finds the ConfigMap of the member, and stops at Ctrl-C',
    async (readme) => {
      const program = join(PROGRAMS, `${readme.replaceAll('/', '-')}.ts`);
      // The default port may serve something else on this machine.
      const source = await firstProgram(readme);
      await writeFile(program, source.replace('createManager({', "createManager({ metrics: { bindAddress: '0' },"));
      const printed = await runUntil(program, /ConfigMap found|seen/u);
      expect(printed).toMatch(/member-1/u);
    },
  );

  it('WB-12: docs/manager.md: runs unchanged except for ports and a namespace, leads, and stops at Ctrl-C', async () => {
    const source = await firstProgram('docs/manager.md');
    const program = join(PROGRAMS, 'manager.ts');
    const changed = source
      .replace("':8080'", "'0'")
      .replace("':8081'", "'127.0.0.1:0'")
      .replace("id: 'config-copier'", "id: 'config-copier', namespace: 'fleet'");
    await writeFile(program, changed);
    expect(await runUntil(program, /started leading/u)).toMatch(/released the lease/u);
  });

  /** Runs a program against the hub, interrupts it at the first line that matches, and returns what it printed. */
  async function runUntil(program: string, pattern: RegExp): Promise<string> {
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
      if (!isInterrupted && pattern.test(line)) isInterrupted = child.kill('SIGINT');
    });
    try {
      expect(await exited).toEqual([0, null]);
      return printed.join('\n');
    } finally {
      child.kill('SIGKILL');
    }
  }
});

it('WB-12: docs/deployment.md: an API server accepts the manifests with strict validation', async () => {
  const text = await readFile(join(ROOT, 'docs', 'deployment.md'), 'utf8');
  const manifests = [...text.matchAll(/```yaml\n(.*?)```/gsu)]
    .flatMap(([, sample = '']) => parseAllDocuments(sample).map((each) => each.toJS() as KubernetesObject))
    // Its definition is that of the Prometheus operator.
    .filter(({ kind }) => kind !== 'ServiceMonitor');
  await using controlPlane = await createControlPlane();
  await using client = createClient(controlPlane.config);
  await client.create(Namespace, { metadata: { name: 'fleet' } });
  const created: unknown[] = [];
  for (const manifest of manifests) {
    const { apiVersion, kind } = manifest;
    await client.create(defineKind({ apiVersion, kind }), manifest, { dryRun: true, fieldValidation: 'Strict' });
    created.push(kind);
  }
  expect(created).toEqual(['Deployment', 'Deployment', 'PodDisruptionBudget', 'Deployment', 'NetworkPolicy']);
});

it('WB-12: packages/apiserver/README.md: the first program runs unchanged and prints the namespaces', async () => {
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

it('WB-12: packages/envtest/README.md: the test passes in Jest with the configuration', async () => {
  await mkdir(PROGRAMS, { recursive: true });
  const directory = await mkdtemp(join(PROGRAMS, 'jest-'));
  try {
    const readme = 'packages/envtest/README.md';
    await writeFile(join(directory, 'jest.config.js'), await programOf(readme, /```js\n(.*?)```/su));
    await writeFile(
      join(directory, 'settings.test.ts'),
      await programOf(readme, /```ts\n(import [^\n]* '@jest.*?)```/su),
    );
    const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
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
  const text = await readFile(join(ROOT, readme), 'utf8');
  const program = pattern.exec(text)?.[1];
  if (program === undefined) throw new Error(`${readme} has no program that matches ${String(pattern)}`);
  return program;
}
