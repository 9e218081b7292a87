import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const KEYS = ['id', 'value', 'unit', 'floor', 'ratio', 'goal', 'met', 'details'];
/** The scenarios start several processes each. */
const TIMEOUT = 300_000;

function bench(...args: readonly string[]) {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  return spawnSync(process.execPath, ['--conditions=@mcr/source', main, ...args], { encoding: 'utf8' });
}

describe('pnpm bench', () => {
  it(
    'prints one line of JSON for each id, in the order asked, and exits with 0 also when a goal is missed',
    () => {
      const { stdout, status } = bench('P-16', 'P-1b', 'P-3', 'P-16', '--smoke', '--json');
      const lines = stdout.trimEnd().split('\n');
      const results = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(results.map(({ id }) => id)).toEqual(['P-16', 'P-1b', 'P-3']);
      for (const result of results) {
        expect(Object.keys(result)).toEqual(KEYS);
        expect(result).toMatchObject({
          value: expect.any(Number),
          unit: expect.any(String),
          goal: expect.any(String),
          met: expect.any(Boolean),
        });
        for (const detail of Object.values(result['details'] as object)) expect(detail).toEqual(expect.any(Number));
      }
      expect(results[0]).toMatchObject({ floor: null, ratio: null, details: { mixed: expect.any(Number) } });
      expect(results[1]).toMatchObject({ floor: expect.any(Number), ratio: expect.any(Number) });
      expect(results.map(({ met }) => met)).toContain(false);
      expect(status).toBe(0);
    },
    TIMEOUT,
  );

  it('refuses unknown ids', () => {
    const { stdout, stderr, status } = bench('P-1', 'P-0', '--json');
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
    expect(stderr).toContain('unknown scenario: P-0');
  });
});
