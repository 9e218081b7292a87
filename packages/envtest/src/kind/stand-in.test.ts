import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createKindStandIn, type KindStandIn } from './stand-in.ts';

const execute = promisify(execFile);

/** The wording, streams and exit codes are those of Kind 0.20 and later: `pkg/cmd/kind` and `pkg/cluster` of Kind. */
describe('the stand-in for Kind', () => {
  let kind: KindStandIn;
  let directory: string;
  beforeAll(async () => {
    kind = await createKindStandIn();
    directory = await mkdtemp(join(tmpdir(), 'mcr-stand-in-test-'));
  });
  afterAll(async () => {
    await kind.stop();
    await rm(directory, { recursive: true });
  });

  const run = (...args: string[]) => execute(kind.binary, args);

  it('reports on stderr that there are no clusters, and fails for the kubeconfig of an unknown cluster', async () => {
    expect(await run('get', 'clusters')).toEqual({ stdout: '', stderr: 'No kind clusters found.\n' });
    await expect(run('get', 'kubeconfig', '--name', 'eu')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        "ERROR: could not locate any control plane nodes for cluster named 'eu'. Use the --name option to select a different cluster\n",
    });
  });

  it('lists a cluster before it has a kubeconfig', async () => {
    await kind.list('starting');
    expect(await run('get', 'clusters')).toEqual({ stdout: 'starting\n', stderr: '' });
    await expect(run('get', 'kubeconfig', '--name=starting')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ERROR: failed to get cluster internal kubeconfig'),
    });
    await kind.delete('starting');
  });

  it('creates a cluster once, and deletes it any number of times', async () => {
    const path = join(directory, 'kubeconfig');
    await run('create', 'cluster', '--name', 'eu', '--kubeconfig', path, '--image=kindest/node:v1.33.1');
    const { stdout } = await run('get', 'kubeconfig', '--name', 'eu');
    expect(await readFile(path, 'utf8')).toBe(stdout);
    expect(stdout).toContain('current-context: kind-eu');
    await expect(run('create', 'cluster', '--name', 'eu')).rejects.toMatchObject({
      code: 1,
      stderr: 'ERROR: failed to create cluster: node(s) already exist for a cluster with the name "eu"\n',
    });
    for (let time = 0; time < 2; time++) {
      expect(await run('delete', 'cluster', '--name', 'eu')).toEqual({
        stdout: '',
        stderr: 'Deleting cluster "eu" ...\n',
      });
    }
    expect((await run('get', 'clusters')).stdout).toBe('');
    await expect(run('frobnicate')).rejects.toMatchObject({
      stderr: 'ERROR: unknown command "frobnicate" for "kind"\n',
    });
  });

  it('fails like Kind without its container engine', async () => {
    const recover = await kind.failEngine();
    await expect(run('get', 'clusters')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ERROR: failed to list clusters'),
    });
    await expect(execute(join(kind.bin, 'docker'), ['events'])).rejects.toMatchObject({ code: 1 });
    await recover();
    await run('get', 'clusters');
  });
});
