import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Time after which an example hangs, in milliseconds. */
const WITHIN = 120_000;

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples');

describe('an example', () => {
  it.each([
    ['sync-hub-to-members/src/main.ts', 'The third member came back: no member has a copy, and the ConfigMap is gone.'],
    ['capi/src/main.ts', 'The Cluster fleet/eu was deleted: fleet/us is left.'],
    ['cluster-lifecycle/src/main.ts', 'The cluster was created, reconciled, rotated and deleted.'],
    ['multi/src/main.ts', 'The provider of the blue team and its clusters were removed: edge#shop-7, red#eu-1.'],
    ['namespace/src/main.ts', 'The namespace of bob was deleted: alice is left.'],
    ['inventory/src/main.ts', 'The ClusterProfile of eu was deleted: fleet/us is left.'],
    ['file/src/main.ts', 'The file was deleted: no cluster is left.'],
    ['kind/src/main.ts', 'Both clusters were deleted: no cluster is left.'],
    ['cronjob/src/main.ts', 'member-3: a minute later, it has no Job'],
    ['namespace-quota/src/main.ts', 'member-2: events on the namespace report the changes'],
    ['namespace-quota/src/single-cluster.ts', 'control-plane: events on the namespace report the changes'],
  ])('%s runs to the end, and leaves nothing running', async (program, lastLine) => {
    const child = spawn(process.execPath, ['--conditions=@mcr/source', join(EXAMPLES, program)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    try {
      expect(await once(child, 'close', { signal: AbortSignal.timeout(WITHIN) })).toEqual([0, null]);
      expect(printed.split('\n')).toContain(lastLine);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
