import { describe, expect, it } from '@jest/globals';
import { limitedRunnable } from './limited-runnable.ts';
import type { Runnable } from './runnable.ts';

describe('limitedRunnable', () => {
  it('MU-3: keeps everything that the manager asks of a runnable', async () => {
    const { signal } = new AbortController();
    const calls: string[] = [];
    const runnable: Required<Runnable> = {
      group: 'provider',
      engageLocal: true,
      engagePrepared: true,
      engage: async (name) => void calls.push(`engage ${name}`),
      warmUp: async () => void calls.push('warmUp'),
      run: async () => void calls.push('run'),
      describe: () => 'an inventory',
    };
    const limited = limitedRunnable(runnable, signal);
    expect(Object.keys(limited).sort()).toEqual(Object.keys(runnable).sort());
    expect(limited).toMatchObject({ group: 'provider', engageLocal: true, engagePrepared: true });
    expect(limited.describe?.()).toBe('an inventory');
    await limited.warmUp?.(signal);
    await limited.run(signal);
    expect(calls).toEqual(['warmUp', 'run']);
  });
});
