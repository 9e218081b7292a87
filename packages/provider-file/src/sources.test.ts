import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sourcesOf } from './sources.ts';

const none = { kubeconfigFiles: [], kubeconfigDirs: [] };

describe('sourcesOf', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'mcr-home-'));
  });
  afterAll(async () => rm(home, { recursive: true }));

  it('FI-1: returns only the files and directories of the options', () => {
    const env = { KUBECONFIG: '/elsewhere' };
    expect(sourcesOf({ ...none, kubeconfigDirs: ['/fleet'] }, env)).toEqual({ files: [], directories: ['/fleet'] });
    expect(sourcesOf({ ...none, kubeconfigFiles: ['a'] }, env)).toEqual({ files: ['a'], directories: [] });
  });

  it('FI-1: without options, returns the paths in $KUBECONFIG, else ~/.kube/config, else the working directory', async () => {
    const list = ['/a/config', '', '/b/config', '/a/config'].join(delimiter);
    expect(sourcesOf(none, { KUBECONFIG: list, HOME: home })).toEqual({
      files: ['/a/config', '/b/config'],
      directories: [],
    });
    expect(sourcesOf(none, { HOME: home })).toEqual({ files: [], directories: ['.'] });
    await mkdir(join(home, '.kube'));
    await writeFile(join(home, '.kube', 'config'), '');
    expect(sourcesOf(none, { KUBECONFIG: '', HOME: home })).toEqual({
      files: [join(home, '.kube', 'config')],
      directories: [],
    });
  });
});
