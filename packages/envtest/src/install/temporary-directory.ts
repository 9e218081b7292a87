import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Guard, GUARD_SHELL } from '../binaries/guard.ts';

/** Directories to delete when this process exits, where no {@link Guard} does it. */
const unguarded = new Set<string>();

/**
 * A directory with private files. It is deleted when this process ends in any way. Without a POSIX shell, it stays if the
 * process is killed.
 */
export class TemporaryDirectory {
  readonly path: string;
  readonly #guard: Guard | undefined;

  private constructor(path: string, guard: Guard | undefined) {
    this.path = path;
    this.#guard = guard;
  }

  /**
   * @param name start of its name.
   * @param shell path of the shell, which may not exist on Windows and in small containers.
   */
  static async create(name: string, shell = GUARD_SHELL): Promise<TemporaryDirectory> {
    const path = await mkdtemp(join(tmpdir(), name));
    if (existsSync(shell)) return new TemporaryDirectory(path, new Guard(path));
    if (unguarded.size === 0) process.once('exit', removeUnguarded);
    unguarded.add(path);
    return new TemporaryDirectory(path, undefined);
  }

  async remove(): Promise<void> {
    await this.#guard?.release();
    await rm(this.path, { recursive: true, force: true });
    if (unguarded.delete(this.path) && unguarded.size === 0) process.off('exit', removeUnguarded);
  }
}

function removeUnguarded(): void {
  for (const path of unguarded) rmSync(path, { recursive: true, force: true });
}
