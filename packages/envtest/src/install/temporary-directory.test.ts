import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { TemporaryDirectory } from './temporary-directory.ts';

describe('a temporary directory', () => {
  it('K-31: is deleted with its files on request', async () => {
    const directory = await TemporaryDirectory.create('mcr-test-');
    writeFileSync(join(directory.path, 'tls.key'), '');
    await directory.remove();
    expect(existsSync(directory.path)).toBe(false);
    await directory.remove();
  });

  it.each([
    ['ends', '', []],
    ['calls process.exit()', 'process.exit(0);', []],
    ['is killed', "process.kill(process.pid, 'SIGKILL');", []],
    ['ends, without a shell', '', ['/none']],
    ['calls process.exit(), without a shell', 'process.exit(0);', ['/none']],
  ])('K-31: is deleted when its process %s', async (_, ending, shell) => {
    const module = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'temporary-directory.ts')));
    const program = `
      import { writeFileSync } from 'node:fs';
      import { TemporaryDirectory } from ${module};
      const { path } = await TemporaryDirectory.create(${JSON.stringify(['mcr-test-', ...shell]).slice(1, -1)});
      writeFileSync(path + '/tls.key', '');
      console.log(path);
      ${ending}`;
    const args = ['--conditions=@mcr/source', '--input-type=module', '--eval', program];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const path = stdout.trim();
    expect([basename(path).slice(0, 9), stderr]).toEqual(['mcr-test-', '']);
    // Jest's timeout ends a test whose directory stays.
    while (existsSync(path)) await setTimeout(10);
  });
});
