import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import type { Collections, Work } from './young-collections.fixture.ts';

const PROGRAM = fileURLToPath(new URL('young-collections.fixture.ts', import.meta.url));

async function collectionsOf(work: Work): Promise<Collections> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@mcr/source', PROGRAM, work]);
  return JSON.parse(stdout) as Collections;
}

it('P-1: received chunks cause collections of the young generation, and none of the whole heap', async () => {
  const { full, young, hasGlobal } = await collectionsOf('receive');
  expect(young).toBeGreaterThan(50);
  // Without the former, V8 begins four or more.
  expect(full).toBeLessThanOrEqual(1);
  expect(hasGlobal).toBe(false);
});

it('P-7: no request for a young collection makes V8 finish a full one, which blocks the thread', async () => {
  const { full, young, forced } = await collectionsOf('decode');
  expect(young).toBeGreaterThan(20);
  // The heap grows to several times its size.
  expect(full).toBeGreaterThan(1);
  expect(forced).toBe(0);
});
