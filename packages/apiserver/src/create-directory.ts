import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its parents, unless it exists. `mkdirSync` of Node.js with `recursive` does not end where a
 * parent exists but can hold no directory, such as a dangling link, or a directory in `/proc`.
 *
 * @param mode permissions of the directories that it creates. Default: 0o777, less the umask.
 * @throws {Error} with the code `ENOENT`, `ENOTDIR`, `EEXIST` or another one of the operating system.
 */
export function createDirectory(path: string, mode?: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || lstatSync(parent, { throwIfNoEntry: false })) throw error;
    createDirectory(parent, mode);
    mkdirSync(path, mode);
  }
}
