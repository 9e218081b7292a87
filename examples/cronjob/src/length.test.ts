import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** The demo on a fleet of this machine, which the book has no counterpart of. */
const DEMO = ['fleet.ts', 'main.ts'];

describe('the example', () => {
  it('has about as many lines of code as the tutorial says', () => {
    const tutorial = readFileSync(join(import.meta.dirname, '../../../docs/cronjob.md'), 'utf8');
    const stated = Number(/about \d+ lines +\| about (\d+) lines/.exec(tutorial)?.[1]);
    const files = readdirSync(import.meta.dirname).filter(
      (file) => !/\.(?:test|fixture)\.ts$/.test(file) && !DEMO.includes(file),
    );
    const lines = files.flatMap((file) => readFileSync(join(import.meta.dirname, file), 'utf8').split('\n'));
    const code = lines.filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|\/?\*)/.test(line));
    expect(Math.round(code.length / 50) * 50).toBe(stated);
  });
});
