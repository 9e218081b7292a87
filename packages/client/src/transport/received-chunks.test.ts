import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import type { Collections } from './received-chunks.fixture.ts';

const PROGRAM = fileURLToPath(new URL('received-chunks.fixture.ts', import.meta.url));

it('P-1: received chunks cause collections of the young generation, and none of the whole heap', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@mcr/source', PROGRAM]);
  const { full, young, hasGlobal } = JSON.parse(stdout) as Collections;
  expect(young).toBeGreaterThan(50);
  // Without the former, V8 begins four or more.
  expect(full).toBeLessThanOrEqual(1);
  expect(hasGlobal).toBe(false);
}, 60_000);
