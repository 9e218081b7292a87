import { createHash, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { processIdentity, processStart } from './process-identity.ts';

/** Locks of this process, by path. */
const held = new Set<string>();

/** Maximum number of attempts, if other processes change the lock all the time, or it is a link to nothing. */
const ATTEMPTS = 100;

/** Maximum difference between the times of files and those of processes, in milliseconds. */
const CLOCK_STEP = 2_000;

export interface DirectoryLockOptions {
  /** Name of the file. Default: `lock`. */
  readonly file?: string;
  /** Noun for the program that uses the directory, shown in the error. Default: `the API server`. */
  readonly owner?: string;
}

/**
 * Locks a directory for this process. The lock of a process that no longer runs is taken over: by one process only, even if
 * several try at the same time.
 *
 * @returns a function that releases the lock.
 * @throws {Error} that names the process that has the lock, and the file.
 */
export function lockDirectory(directory: string, options: DirectoryLockOptions = {}): () => void {
  const { file = 'lock', owner = 'the API server' } = options;
  const path = resolve(directory, file);
  const id = randomUUID();
  const content = [process.pid, id, processIdentity(process.pid) ?? ''].join(' ').trimEnd();
  const own = `${path}.${process.pid}.${id}`;
  // A link to a complete file is atomic: no other process sees a lock without its owner.
  writeFileSync(own, content, { flag: 'wx', mode: 0o600 });
  try {
    for (let attempt = 1, holder = acquire(path, own); holder !== undefined; attempt++, holder = acquire(path, own)) {
      if (holder === 'changed' && attempt < ATTEMPTS) continue;
      if (holder === 'changed') throw new Error(`${path} cannot be locked: delete it, or use another directory`);
      throw new Error(
        `${directory} is used by ${owner} of process ${holder} (${path}): stop it, or use another directory`,
      );
    }
  } finally {
    rmSync(own, { force: true });
  }
  held.add(path);
  return () => {
    held.delete(path);
    if (read(path) === content) rmSync(path, { force: true });
  };
}

/**
 * Tries to make the file `own` the lock. The successor of a stale lock has a name that follows from the content of the stale
 * one, so that only one process can create it. If this one ends before it has replaced the lock, it has a successor itself.
 *
 * @returns `undefined` on success, the id of the process that has the lock, or `changed` if another process changed it.
 */
function acquire(path: string, own: string): number | 'changed' | undefined {
  if (link(own, path)) return undefined;
  const lock = read(path);
  const successors: string[] = [];
  for (let last = lock; last !== undefined; last = read(successors.at(-1) ?? path)) {
    const pid = Number.parseInt(last, 10);
    if (held.has(path) || isHeld(successors.at(-1) ?? path, last)) return pid;
    const successor = `${path}.after-${createHash('sha256').update(last).digest('hex').slice(0, 16)}`;
    if (!link(own, successor)) {
      successors.push(successor);
      continue;
    }
    // Another process may have replaced the lock since it was read, and removed the successor that it had.
    const isCurrent = read(path) === lock;
    if (isCurrent) renameSync(own, path);
    for (const each of isCurrent ? [...successors, successor] : [successor]) rmSync(each, { force: true });
    return isCurrent ? undefined : 'changed';
  }
  return 'changed';
}

/** Links a file to a path. Returns whether the path was free. */
function link(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns the content of a file, or `undefined` if it does not exist. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Reports whether the process that wrote a lock still runs. Another process may have its id by now, for example after a
 * reboot, or in a new container.
 */
function isHeld(path: string, content: string): boolean {
  const pid = Number.parseInt(content, 10);
  if (pid === process.pid || !isRunning(pid)) return false;
  const [, , identity] = content.split(' ');
  const current = processIdentity(pid);
  if (identity !== undefined && current !== undefined) return identity === current;
  const start = processStart(pid);
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return start === undefined || written === undefined || start <= written + CLOCK_STEP;
}

function isRunning(pid: number): boolean {
  // The file has no id if another program wrote it, or the disk was full.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process cannot be signalled, but runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
