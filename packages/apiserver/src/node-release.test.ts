import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { nodeReleaseRefusal } from './node-release.ts';

describe('the release of Node.js', () => {
  it.each(['v20.20.2', 'v22.22.1', 'v23.11.0', 'v24.14.1', 'v25.9.0'])('K-31: %s is refused', (version) => {
    expect(nodeReleaseRefusal(version)).toBe(
      `Node.js ${version.slice(1)} (${process.execPath}) is not supported: use a release in the range ^22.22.2 || ^24.15.0 || >=26`,
    );
  });

  it.each([process.version, 'v22.22.2', 'v24.15.0', 'v24.21.0', 'v26.0.0', 'v27.1.0-nightly2026'])(
    'K-31: %s is accepted',
    (version) => {
      expect(nodeReleaseRefusal(version)).toBeUndefined();
    },
  );

  it.each(['kube-apiserver', 'etcd'])('K-31: %s says that the release is not supported', (program) => {
    const old = 'data:text/javascript,Object.defineProperty(process,"version",{value:"v20.20.2"})';
    const file = join(import.meta.dirname, 'programs', `${program}.ts`);
    const args = ['--import', old, '--conditions=@mcr/source', file, '--help'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${program}: Node.js 20.20.2 (${process.execPath}) is not supported: use a release in`);
  });
});
