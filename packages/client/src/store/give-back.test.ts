import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { GiveBack } from './give-back.fixture.ts';

const PROGRAM = fileURLToPath(new URL('give-back.fixture.ts', import.meta.url));

/** Bounds the young generation: V8 lets it grow under load, which would hide memory that the store gives back. */
const OPTIONS = ['--conditions=@mcr/source', '--max-semi-space-size=4'];

async function giveBack(...args: readonly string[]): Promise<GiveBack> {
  const { stdout } = await promisify(execFile)(process.execPath, [...OPTIONS, PROGRAM, ...args]);
  return JSON.parse(stdout) as GiveBack;
}

describe('PackedStore in a process of its own', () => {
  it.concurrent.each([
    ['delete', 'idle', 'plain'],
    ['delete', 'busy', 'compressed'],
    ['dispose', 'idle', 'plain'],
    ['dispose', 'busy', 'compressed'],
  ])(
    'PC-5, PC-8: gives the memory of removed objects back within a minute (%s, %s, %s)',
    async (...args) => {
      const { removed, shrunk } = await giveBack(...args);
      expect(removed).toBeGreaterThan(60e6);
      expect(shrunk / removed).toBeGreaterThanOrEqual(0.8);
    },
    300_000,
  );
});
