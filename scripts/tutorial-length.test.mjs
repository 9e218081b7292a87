import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'examples/cronjob/src');
/** The demo on a fleet of this machine, which the book has no counterpart of. */
const DEMO = ['fleet.ts', 'main.ts'];

describe('the tutorial of the CronJob', () => {
  it('says about how many lines of code the example has', () => {
    const tutorial = readFileSync(join(ROOT, 'docs/cronjob.md'), 'utf8');
    const stated = Number(/about \d+ lines +\| about (\d+) lines/.exec(tutorial)?.[1]);
    const files = readdirSync(SOURCES).filter((file) => !/\.(?:test|fixture)\.ts$/.test(file) && !DEMO.includes(file));
    const lines = files.flatMap((file) => readFileSync(join(SOURCES, file), 'utf8').split('\n'));
    const code = lines.filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|\/?\*)/.test(line));
    expect(Math.round(code.length / 50) * 50).toBe(stated);
  });
});
