import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createDirectory } from './create-directory.ts';

const root = mkdtempSync(join(tmpdir(), 'mcr-directory-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('creating a directory', () => {
  it('K-31: creates the parents, and accepts a directory that exists', () => {
    const path = join(root, 'a', 'b', 'c');
    createDirectory(path, 0o700);
    createDirectory(path);
    expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
  });

  it('K-31: refuses a file, a parent that is a file, and a parent that is a dangling link', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    symlinkSync(join(root, 'absent'), join(root, 'link'));
    expect(() => createDirectory(file)).toThrow('EEXIST');
    expect(() => createDirectory(join(file, 'a'))).toThrow('ENOTDIR');
    expect(() => createDirectory(join(root, 'link', 'a', 'b'))).toThrow('ENOENT');
    expect(() => createDirectory(join(root, 'link'))).toThrow('EEXIST');
  });

  (process.platform === 'linux' ? it : it.skip)('K-31: refuses a directory in /proc', () => {
    expect(() => createDirectory('/proc/mcr/a')).toThrow('ENOENT');
  });
});
