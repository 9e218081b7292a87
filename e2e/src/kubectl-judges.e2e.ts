import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createControlPlane } from '@mcr/envtest';

const SCRIPT = join(import.meta.dirname, '..', 'judges', 'kubectl', 'judge.sh');

/** Time for all commands on a busy machine, in milliseconds. */
const RUN_TIMEOUT = 5 * 60_000;

/** It needs bash and a recent kubectl. */
const isRequested = process.env['MCR_JUDGES'] === '1';

(isRequested ? describe : describe.skip)('kubectl', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-kubectl-judges-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it(
    'K-20: more than a hundred commands end as against a real server',
    async () => {
      await using controlPlane = await createControlPlane();
      const kubeconfig = join(directory, 'kubeconfig');
      await writeFile(kubeconfig, controlPlane.kubeconfig, { mode: 0o600 });
      const { stdout, status } = spawnSync('bash', [SCRIPT, kubeconfig], { encoding: 'utf8' });
      expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('ok '))).toEqual([]);
      expect(status).toBe(0);
    },
    RUN_TIMEOUT,
  );
});
