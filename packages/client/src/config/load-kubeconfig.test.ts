import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inClusterConfig } from './in-cluster-config.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';
import { errorOf, kubeconfig, pem, type Parts } from './kubeconfig.fixture.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('loadKubeconfig', () => {
  const write = async (name: string, parts: Parts) => {
    const path = join(directory, name);
    await writeFile(path, kubeconfig(parts));
    return path;
  };

  it('reads one file, and names it in errors', async () => {
    const path = await write('one', {});
    expect(loadKubeconfig({ path }).server).toBe('https://h:6443');
    expect(errorOf(() => loadKubeconfig({ path, context: 'x' })).message).toContain(`kubeconfig ${path}: `);
    expect(errorOf(() => loadKubeconfig({ path: '/does/not/exist' })).message).toBe(
      'kubeconfig /does/not/exist: file not found',
    );
  });

  it('merges the files of $KUBECONFIG as kubectl does: the first entry of a name wins, missing files are skipped', async () => {
    const first = await write('first', {
      cluster: { server: 'https://first' },
      top: { 'current-context': '', users: [] },
    });
    const second = await write('second', { cluster: { server: 'https://second' }, user: { tokenFile: 'token' } });
    const env = { KUBECONFIG: ['/does/not/exist', first, second].join(delimiter) };
    expect(loadKubeconfig({ env })).toEqual({
      server: 'https://first',
      auth: { type: 'tokenFile', path: join(directory, 'token') },
    });
  });

  it('says what to do if no kubeconfig is found', () => {
    expect(errorOf(() => loadKubeconfig({ env: { KUBECONFIG: '/nowhere' } })).message).toBe(
      'kubeconfig /nowhere: $KUBECONFIG: file not found',
    );
    expect(errorOf(() => loadKubeconfig({ env: { HOME: '/nowhere' } })).message).toMatch(/not found: set \$KUBECONFIG/);
  });

  it('reads the service account of a pod', async () => {
    await writeFile(join(directory, 'ca.crt'), pem('CERTIFICATE'));
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    expect(inClusterConfig({ env, directory })).toEqual({
      server: 'https://[fd00::1]:443',
      tls: { caFile: join(directory, 'ca.crt') },
      auth: { type: 'tokenFile', path: join(directory, 'token') },
    });
    expect(errorOf(() => inClusterConfig({ env: {} })).message).toMatch(/not in a pod: KUBERNETES_SERVICE_HOST/);
  });
});
