import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@mcr/core/testing';

const CLI = join(import.meta.dirname, '..', 'mcr.ts');
/** Deadline of each step, in milliseconds. */
const WITHIN = { deadline: 60_000 };

/** A project in a temporary directory, and `mcr dev` in it. */
export class DevProject implements AsyncDisposable {
  readonly directory: string;
  #child: ChildProcess | undefined;
  #out = '';

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** @param files texts by names. */
  static async create(files: Readonly<Record<string, string>>): Promise<DevProject> {
    const project = new DevProject(await mkdtemp(join(tmpdir(), 'mcr-dev-test-')));
    await symlink(join(import.meta.dirname, '..', '..', 'node_modules'), join(project.directory, 'node_modules'));
    await project.write(files);
    return project;
  }

  /** Output since the start, or since files were written. */
  get out(): string {
    return this.#out;
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    this.#out = '';
    for (const [name, text] of Object.entries(files)) await writeFile(join(this.directory, name), text);
  }

  /** Starts `mcr dev`. Its temporary files are in the directory of the project. */
  start(...flags: string[]): void {
    this.#child = spawn(process.execPath, ['--conditions=@mcr/source', CLI, 'dev', '--main', 'main.ts', ...flags], {
      cwd: this.directory,
      env: { ...process.env, TMPDIR: this.directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => (this.#out += String(text)));
    }
  }

  /** Waits for a text in {@link out}. @returns its first group. */
  async matched(pattern: RegExp): Promise<string> {
    return await eventually(() => {
      const match = pattern.exec(this.#out);
      if (!match) throw new Error(`no ${String(pattern)} in:\n${this.#out}`);
      return match[1] ?? match[0];
    }, WITHIN);
  }

  /** Returns the ids of all processes that began in `mcr dev`, by the variable that they inherit. Needs Linux. */
  async processes(): Promise<number[]> {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
    const environments = await Promise.all(
      ids.map(async (id) => [Number(id), await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '')] as const),
    );
    const variable = `TMPDIR=${this.directory}`;
    return environments.filter(([, text]) => text.split('\0').includes(variable)).map(([id]) => id);
  }

  /** Returns the id of the process that serves the clusters. Needs Linux. */
  async serverProcess(): Promise<number> {
    for (const id of await this.processes()) {
      const words = (await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).split('\0');
      if (words.some((word) => /apiserver\/src\/main\.ts$/u.test(word))) return id;
    }
    throw new Error('no process serves the clusters');
  }

  /** Returns the directories of `mcr dev`. */
  async leftovers(): Promise<string[]> {
    return (await readdir(this.directory)).filter((name) => name.startsWith('mcr-') || name === '.mcr');
  }

  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Waits until `mcr dev` has ended. @returns its exit code, or the signal that killed it. */
  async ended(): Promise<number | NodeJS.Signals | null | undefined> {
    const child = this.#child;
    if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child?.exitCode ?? child?.signalCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('SIGKILL');
    await this.ended();
    // They write into the directory.
    await eventually(async () => {
      if ((await this.processes()).length > 0) throw new Error('processes of mcr dev still run');
    }, WITHIN);
    await rm(this.directory, { recursive: true });
  }
}
