import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Aware, Cluster, ClusterName, ClusterObservation } from '@mcr/core';
import { createFileProvider, type FileProvider } from './file-provider.ts';
import type { FileProviderOptions } from './options.ts';

/** A directory, a running provider, and a record of its reports. */
export class Scene implements AsyncDisposable {
  readonly directory: string;
  readonly engaged = new Map<ClusterName, Cluster>();
  readonly engagements: ClusterName[] = [];
  readonly reports: (ClusterObservation & { readonly name: ClusterName })[] = [];
  readonly #end = new AbortController();
  #running: Promise<void> | undefined;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async open(): Promise<Scene> {
    return new Scene(await mkdtemp(join(tmpdir(), 'mcr-file-')));
  }

  readonly aware: Aware = {
    engage: async (name, cluster, signal) => {
      this.engagements.push(name);
      this.engaged.set(name, cluster);
      signal.addEventListener(
        'abort',
        () => {
          if (this.engaged.get(name) === cluster) this.engaged.delete(name);
        },
        { once: true },
      );
    },
    report: (name, observation) => void this.reports.push({ name, ...observation }),
  };

  /** Runs a provider until the scene closes. Default: for the directory. */
  run(options: FileProviderOptions = {}): FileProvider {
    const provider = createFileProvider({ kubeconfigDirs: [this.directory], debounce: 10, ...options });
    this.#running = provider.run(this.aware, this.#end.signal);
    return provider;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  async write(name: string, text: string): Promise<string> {
    await mkdir(dirname(this.path(name)), { recursive: true });
    await writeFile(this.path(name), text);
    return this.path(name);
  }

  /** Writes a file as editors and `kubectl` do: to another file, which is then renamed. */
  async replace(name: string, text: string): Promise<void> {
    await writeFile(this.path(`${name}.new`), text);
    await rename(this.path(`${name}.new`), this.path(name));
  }

  /** The names of the engaged clusters, without their common directory. */
  names(): string[] {
    return [...this.engaged.keys()].map((name) => name.replace(`${this.directory}/`, '')).sort();
  }

  reasons(name: ClusterName): string[] {
    return this.reports.filter((report) => report.name === name).map(({ reason }) => reason);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}
