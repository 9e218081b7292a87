import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ControlPlane, createControlPlane } from '@mcr/envtest';
import { runMcr } from '../../command/mcr-program.ts';

const GOLDEN = join(import.meta.dirname, '..', '..', 'golden');
const GROUP = 'difficult.example.com';
const MODULES = [join(GROUP, 'door.ts'), join(GROUP, 'v1', 'record.ts')];

/* Runs against the embedded API server, and with $MCR_BACKEND=binaries against kube-apiserver. */
describe('mcr types of a cluster', () => {
  let plane: ControlPlane;
  let directory: string;
  let kubeconfig: string;
  beforeAll(async () => {
    plane = await createControlPlane({ name: 'prod', crdPaths: [join(GOLDEN, 'difficult.yaml')] });
    directory = await mkdtemp(join(tmpdir(), 'mcr-types-'));
    kubeconfig = join(directory, 'config');
    await writeFile(kubeconfig, plane.kubeconfig);
  });
  afterAll(async () => {
    await plane.stop();
    await rm(directory, { recursive: true });
  });

  async function run(...args: string[]): Promise<{ readonly status: number; readonly text: string }> {
    let text = '';
    const print = (part: string): void => void (text += part);
    const { signal } = new AbortController();
    const status = await runMcr(['types', '--kubeconfig', kubeconfig, ...args], { print, warn: print, signal });
    return { status, text };
  }

  it('KS-6: writes the same modules from a context as from the files that the cluster got its definitions from', async () => {
    const out = join(directory, 'out');
    const { status, text } = await run('--context', 'prod', '--only', GROUP, '--out', out);
    expect(status).toBe(0);
    for (const path of MODULES) {
      expect(text).toContain(`created ${join(out, path)}\n`);
      expect(await readFile(join(out, path), 'utf8')).toBe(await readFile(join(GOLDEN, path), 'utf8'));
    }
    const checked = await run('--context', 'prod', '--only', `records.${GROUP}`, '--out', out, '--check');
    expect([checked.status, checked.text]).toEqual([0, expect.stringContaining('1 module is up to date')]);
  });

  it('KS-6: fails for a cluster without definitions, so that --check does not pass', async () => {
    const empty = await createControlPlane({ name: 'empty' });
    const file = join(directory, 'empty');
    await writeFile(file, empty.kubeconfig);
    const args = ['--context', 'empty', '--kubeconfig', file, '--out', join(directory, 'none'), '--check'];
    expect(await run(...args)).toEqual({
      status: 1,
      text: 'mcr: --context: empty: the cluster has no CustomResourceDefinition\n',
    });
    await empty.stop();
  });

  it('KS-6: says which context does not exist, which definition was not found, and what the cluster refused', async () => {
    const out = ['--out', join(directory, 'none')];
    expect(await run('--context', 'stage', ...out)).toEqual({
      status: 1,
      text: expect.stringMatching(/stage.*prod/su),
    });
    expect(await run('--context', 'prod', '--only', 'carts.example.com', ...out)).toEqual({
      status: 1,
      text: expect.stringContaining('--only: no CustomResourceDefinition carts.example.com found'),
    });
    const { kubeconfig: limited } = await plane.issueToken({ user: 'reader' });
    await writeFile(kubeconfig, limited);
    expect(await run('--context', 'prod', ...out)).toEqual({
      status: 1,
      text: expect.stringMatching(/--context: prod: failed to list definitions: .*(?:cannot list|forbidden)/su),
    });
  });
});
