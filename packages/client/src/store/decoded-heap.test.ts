import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { DecodedHeap } from './decoded-heap.fixture.ts';

const PROGRAM = fileURLToPath(new URL('decoded-heap.fixture.ts', import.meta.url));
const MIB = 1024 * 1024;
/** Limit of the heap, in MiB. */
const LIMIT = 64;

describe('heap of decoded objects', () => {
  it.each([
    'small objects',
    'short lists of empty objects',
    'long lists of empty objects',
    'nested lists',
    'names of their own',
  ])('stays below a quarter of a small heap, whatever the objects are: %s', async (structure) => {
    const flags = ['--conditions=@mcr/source', `--max-old-space-size=${LIMIT}`];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, PROGRAM, structure]);
    const { decoded, kept, keptObjects } = JSON.parse(stdout) as DecodedHeap;
    expect(decoded).toBeGreaterThan(LIMIT * MIB);
    expect(keptObjects).toBeGreaterThan(0);
    expect(kept).toBeLessThan((LIMIT / 4) * MIB);
  });
});
