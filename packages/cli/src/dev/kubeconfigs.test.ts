import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Kubeconfigs } from './kubeconfigs.ts';

describe('Kubeconfigs', () => {
  let project: string;
  beforeEach(async () => {
    project = await mkdtemp(join(tmpdir(), 'mcr-kubeconfigs-'));
  });
  afterEach(() => rm(project, { recursive: true }));

  it('WB-2: replace those of a process that was killed, and keep the files of others', async () => {
    const directory = join(project, '.mcr');
    await mkdir(directory);
    const { pid } = spawnSync(process.execPath, ['--version']);
    await writeFile(join(directory, 'dev.pid'), `${pid}\n`);
    await writeFile(join(directory, 'notes'), 'mine');
    using kubeconfigs = new Kubeconfigs(project);
    expect((await readdir(directory)).toSorted()).toEqual(['.gitignore', 'dev.pid', 'members', 'notes']);
    kubeconfigs[Symbol.dispose]();
    expect(await readdir(directory)).toEqual(['notes']);
  });

  it('WB-2: leave nothing in a project that had nothing', async () => {
    new Kubeconfigs(project)[Symbol.dispose]();
    expect(await readdir(project)).toEqual([]);
  });
});
