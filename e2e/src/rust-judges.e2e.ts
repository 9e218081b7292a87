import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createControlPlane } from '@mcr/envtest';

const PROGRAM = join(import.meta.dirname, '..', 'judges', 'rust');

/** Time of a first build of kube-rs on a busy machine, in milliseconds. */
const BUILD_TIMEOUT = 20 * 60_000;

/** Time for all checks on a busy machine, in milliseconds. */
const RUN_TIMEOUT = 5 * 60_000;

/** It needs Cargo, and downloads and builds kube-rs, which takes minutes. */
const isRequested = process.env['MCR_JUDGES'] === '1';

/** If kube-apiserver is available, the test also checks that the recorded answers still match it. */
const backends = process.env['KUBEBUILDER_ASSETS'] ? (['embedded', 'binaries'] as const) : (['embedded'] as const);

(isRequested ? describe : describe.skip)('a program in Rust, which uses kube-rs', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-rust-judges-'));
    execFileSync('cargo', ['build', '--locked', '--quiet', '--target-dir', directory], { cwd: PROGRAM });
  }, BUILD_TIMEOUT);
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it.each(backends)(
    'K-20: gets the answers of kube-apiserver v1.35.4 from a control plane of backend "%s"',
    async (backend) => {
      await using controlPlane = await createControlPlane({ backend });
      const kubeconfig = join(directory, 'kubeconfig');
      await writeFile(kubeconfig, controlPlane.kubeconfig, { mode: 0o600 });
      const { stdout, status } = spawnSync(join(directory, 'debug', 'rust-judge'), [kubeconfig], { encoding: 'utf8' });
      const answers = await readFile(join(PROGRAM, 'answers.txt'), 'utf8');
      expect(stdout.split('\n')).toEqual(answers.split('\n'));
      expect(status).toBe(0);
    },
    RUN_TIMEOUT,
  );
});
