import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createControlPlane } from '@mcr/envtest';

const PROGRAMS = join(import.meta.dirname, '..', 'judges', 'python');

/** Time to install the clients, in milliseconds. */
const INSTALL_TIMEOUT = 5 * 60_000;

/** Time for all clients on a busy machine, in milliseconds. */
const RUN_TIMEOUT = 3 * 60_000;

/** They need Python 3.10 or later, and install clients from PyPI. */
const isRequested = process.env['MCR_JUDGES'] === '1';

(isRequested ? describe : describe.skip)('clients in Python', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-python-judges-'));
    execFileSync('python3', ['-m', 'venv', directory]);
    const pip = join(directory, 'bin', 'pip');
    execFileSync(pip, ['install', '--quiet', '--requirement', join(PROGRAMS, 'requirements.txt')]);
  }, INSTALL_TIMEOUT);
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it(
    'K-20: kubernetes, kr8s, kubernetes_asyncio, lightkube and kopf work',
    async () => {
      await using controlPlane = await createControlPlane();
      const kubeconfig = join(directory, 'kubeconfig');
      await writeFile(kubeconfig, controlPlane.kubeconfig, { mode: 0o600 });
      const program = [join(PROGRAMS, 'judge.py'), kubeconfig];
      const { stdout, status } = spawnSync(join(directory, 'bin', 'python'), program, { encoding: 'utf8' });
      expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('ok '))).toEqual([]);
      expect(status).toBe(0);
    },
    RUN_TIMEOUT,
  );
});
