import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import type { ClusterName } from '@mcr/core';
import type { Context, KubeconfigFile, Reading } from './kubeconfig-file.ts';
import { nextFile } from './kubeconfig-file.ts';
import type { Sources } from './sources.ts';

/** A context of a kubeconfig file. */
export interface Entry extends Context {
  readonly path: string;
  readonly context: string;
  /** Why the previous version of the context is kept. `undefined` if it is current. */
  readonly fault?: Error;
}

/** Result of reading all files. */
export interface Findings {
  readonly clusters: ReadonlyMap<ClusterName, Entry>;
  /** Problems of entries without a cluster, by cluster name, or by the path of a file or directory. */
  readonly problems: ReadonlyMap<string, Error>;
  /** The directories to watch for changes. All of them exist. */
  readonly directories: ReadonlySet<string>;
}

export interface InventoryOptions {
  readonly sources: Sources;
  /** Patterns of file names. */
  readonly globs: readonly string[];
  readonly separator: string;
  readonly policy: 'trusted' | 'untrusted';
}

/** The kubeconfig files, with the last good contents of each. */
export class Inventory {
  readonly #options: InventoryOptions;
  /** The files, by path. */
  #files: ReadonlyMap<string, KubeconfigFile> = new Map();
  /** The last known paths of each directory, used while it cannot be read. */
  readonly #listed = new Map<string, readonly string[]>();

  constructor(options: InventoryOptions) {
    this.#options = options;
  }

  /** Reads all files. An invalid file keeps its last good contexts, and is reported. */
  async read(): Promise<Findings> {
    const { sources, policy } = this.#options;
    const problems = new Map<string, Error>();
    const directories = new Set<string>();
    const paths = [...sources.files];
    for (const directory of sources.directories) {
      directories.add(await nearestDirectory(directory));
      // The path may be a link that changes its target.
      directories.add(await nearestDirectory(dirname(resolve(directory))));
      paths.push(...(await this.#list(directory, problems)));
    }

    const files = new Map<string, KubeconfigFile>();
    for (const path of new Set(paths)) {
      directories.add(await nearestDirectory(dirname(path)));
      // A file of a mounted Secret is a link to a link: both ends are watched.
      const target = await realpath(path).catch(() => undefined);
      if (target !== undefined) directories.add(dirname(target));
      const file = nextFile(this.#files.get(path), await readKubeconfig(path), { path, policy });
      if (file) files.set(path, file);
    }
    this.#files = files;
    return { clusters: this.#clustersOf(paths, problems), problems, directories };
  }

  /** If names or files repeat, the first one is used. */
  #clustersOf(paths: readonly string[], problems: Map<string, Error>): ReadonlyMap<ClusterName, Entry> {
    const clusters = new Map<ClusterName, Entry>();
    const firstPaths = new Map<string, string>();
    for (const path of paths) {
      const file = this.#files.get(path);
      if (!file) continue;
      const firstPath = firstPaths.get(resolve(path));
      if (firstPath !== undefined) {
        problems.set(path, new Error(`${path} is a duplicate of ${firstPath}`));
        continue;
      }
      firstPaths.set(resolve(path), path);
      const nameOf = (context: string): ClusterName => `${path}${this.#options.separator}${context}`;
      if (file.fault && file.contexts.size === 0) problems.set(path, file.fault);
      for (const [context, fault] of file.faults) if (!file.contexts.has(context)) problems.set(nameOf(context), fault);
      for (const [context, known] of file.contexts) {
        const name = nameOf(context);
        const fault = file.fault ?? file.faults.get(context);
        if (!clusters.has(name)) clusters.set(name, { ...known, path, context, ...(fault && { fault }) });
        else problems.set(path, new Error(`${path} has a duplicate: the name ${JSON.stringify(name)} is taken`));
      }
    }
    return clusters;
  }

  async #list(directory: string, problems: Map<string, Error>): Promise<readonly string[]> {
    try {
      const entries = await readdir(directory, { withFileTypes: true });
      const names = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name);
      const { globs } = this.#options;
      const paths = names
        .filter((name) => globs.some((glob) => matchesGlob(name, glob)))
        .sort()
        .map((name) => join(directory, name));
      this.#listed.set(directory, paths);
      return paths;
    } catch (error) {
      if (isAbsent(error)) this.#listed.delete(directory);
      else problems.set(directory, unreadable('the directory', error));
      return this.#listed.get(directory) ?? [];
    }
  }
}

async function readKubeconfig(path: string): Promise<Reading> {
  try {
    // Reading a pipe without a writer would block all other files.
    if (!(await stat(path)).isFile()) {
      return { type: 'unreadable', error: new Error('the file cannot be read: it is not a regular file') };
    }
    return { type: 'text', text: await readFile(path, 'utf8') };
  } catch (error) {
    if (isAbsent(error)) return { type: 'absent' };
    return { type: 'unreadable', error: unreadable('the file', error) };
  }
}

function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function unreadable(subject: string, cause: unknown): Error {
  return new Error(`${subject} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
}

/** Returns the directory, or its nearest existing ancestor, where it will be created. */
async function nearestDirectory(path: string): Promise<string> {
  let directory = resolve(path);
  for (;;) {
    try {
      return await realpath(directory);
    } catch {
      const parent = dirname(directory);
      if (parent === directory) return directory;
      directory = parent;
    }
  }
}
