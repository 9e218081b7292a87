import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Directories that this process has locked. */
const held = new Set<string>();

/**
 * Locks a directory for this process: two servers with one journal would lose writes. The lock of a process that no longer
 * runs is taken over.
 *
 * @returns a function that releases the lock.
 * @throws {Error} that names the process that has the lock.
 */
export function lockDirectory(directory: string): () => void {
  const path = resolve(directory, 'lock');
  if (!create(path)) {
    const owner = Number(readFileSync(path, 'utf8'));
    if (held.has(path) || (owner !== process.pid && isRunning(owner))) {
      throw new Error(`${directory} is used by the API server of process ${owner}: stop it, or use another directory`);
    }
    rmSync(path);
    return lockDirectory(directory);
  }
  held.add(path);
  return () => {
    held.delete(path);
    rmSync(path, { force: true });
  };
}

function create(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  // The file is empty if its writer ended before it wrote, or the disk was full.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process cannot be signalled, but runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
