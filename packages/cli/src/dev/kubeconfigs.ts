import { chmodSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { atExit } from './at-exit.ts';
import { fleetKubeconfig } from './fleet-kubeconfig.ts';
import { isRunning } from './is-running.ts';

/** Directory in the project. */
const DIRECTORY = '.mcr';
const HUB = 'hub.kubeconfig';
const MEMBERS = 'members';
/** Has the id of the process of `mcr dev`. */
const OWNER = 'dev.pid';
/** Keeps the directory out of Git, also in projects that do not name it. */
const IGNORE = '.gitignore';

/**
 * Files with the kubeconfigs of the fleet of a project, at the same paths at each start, so that other terminals keep them. Only
 * their owner can read them. They are removed at the end.
 */
export class Kubeconfigs implements Disposable {
  readonly #directory: string;
  readonly #guard = atExit(() => this.#remove());

  /**
   * @param project directory of the project.
   * @throws {Error} if another `mcr dev` runs in the project.
   */
  constructor(project: string) {
    this.#directory = join(project, DIRECTORY);
    try {
      this.#take(project);
    } catch (error) {
      this.#guard[Symbol.dispose]();
      throw error;
    }
  }

  /** Path of the kubeconfig of the hub, with a context for each member. */
  get hub(): string {
    return join(this.#directory, HUB);
  }

  /** Directory with the kubeconfigs of the members, for the file provider. */
  get members(): string {
    return join(this.#directory, MEMBERS);
  }

  write(fleet: ControlPlaneFleet): void {
    writeFileSync(this.hub, fleetKubeconfig(fleet), { mode: 0o600, flag: 'wx' });
    for (const { name, kubeconfig } of fleet.members) {
      writeFileSync(join(this.members, `${name}.kubeconfig`), kubeconfig, { mode: 0o600, flag: 'wx' });
    }
  }

  [Symbol.dispose](): void {
    this.#guard[Symbol.dispose]();
    this.#remove();
  }

  #take(project: string): void {
    if (project.includes(delimiter)) {
      throw new Error(`${project}: KUBECONFIG separates paths by "${delimiter}": use a directory without it`);
    }
    mkdirSync(this.#directory, { recursive: true });
    chmodSync(this.#directory, 0o700);
    const owner = join(this.#directory, OWNER);
    const write = (): void => writeFileSync(owner, `${process.pid}\n`, { mode: 0o600, flag: 'wx' });
    try {
      write();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const pid = Number(readFileSync(owner, 'utf8'));
      // 0 and negative numbers name groups of processes.
      if (pid > 0 && pid !== process.pid && isRunning(pid)) {
        throw new Error(
          `mcr dev runs in ${project} already, as process ${pid}: stop it first (or remove ${owner} if that is another program)`,
          { cause: error },
        );
      }
      // A process that was killed left its files.
      this.#remove();
      mkdirSync(this.#directory, { mode: 0o700, recursive: true });
      write();
    }
    writeFileSync(join(this.#directory, IGNORE), '*\n');
    rmSync(this.hub, { force: true });
    rmSync(this.members, { recursive: true, force: true });
    mkdirSync(this.members, { mode: 0o700 });
  }

  /** Removes what this class writes, and the directory if nothing else is in it. */
  #remove(): void {
    for (const name of [HUB, MEMBERS, IGNORE, OWNER]) {
      rmSync(join(this.#directory, name), { recursive: true, force: true });
    }
    try {
      rmdirSync(this.#directory);
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}
