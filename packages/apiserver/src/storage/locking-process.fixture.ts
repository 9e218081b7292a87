import { lockDirectory } from './directory-lock.ts';

/*
 * Runs as a separate process. Locks each of the directories of argv at its time, and prints which ones it got, as JSON.
 * argv: the time of the first directory in milliseconds, and the directories.
 */

/** Interval between two directories, in milliseconds. */
const INTERVAL = 2;

const [start = '', ...directories] = process.argv.slice(2);
const locked = directories.map((directory, index) => {
  const time = Number(start) + index * INTERVAL;
  // Both processes have to try at the same moment.
  while (Date.now() < time);
  try {
    lockDirectory(directory);
    return true;
  } catch (error) {
    if ((error as Error).message.includes(' is used by the API server of process ')) return false;
    throw error;
  }
});
process.stdout.write(`${JSON.stringify(locked)}\n`);
// The locks are held until the parent has seen the result.
process.stdin.resume();
