import { watch } from 'chokidar';
import type { FSWatcher } from 'chokidar';

export interface DirectoryWatchesOptions {
  /** Called at each change in a directory, and for each file that exists when its watch starts. */
  readonly onChange: () => void;
  /** Called once when a directory cannot be watched. Each call of {@link DirectoryWatches.watch} tries again. */
  readonly onError: (error: Error, directory: string) => void;
}

/** Watches the files in directories, not those in their subdirectories. */
export class DirectoryWatches {
  readonly #options: DirectoryWatchesOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  /** The directories whose failure was reported. */
  readonly #failed = new Set<string>();
  /** The watchers that are closing. */
  readonly #closing = new Set<Promise<void>>();

  constructor(options: DirectoryWatchesOptions) {
    this.#options = options;
  }

  /** Sets the watched directories. */
  watch(directories: ReadonlySet<string>): void {
    for (const directory of this.#watchers.keys()) if (!directories.has(directory)) this.#end(directory);
    for (const directory of directories) if (!this.#watchers.has(directory)) this.#begin(directory);
  }

  /** Stops all watches. Resolves when they have stopped. */
  async close(): Promise<void> {
    this.watch(new Set());
    await Promise.all(this.#closing);
  }

  #begin(directory: string): void {
    // Watches the links themselves, to see when one is replaced. Initial events close the gap between reading the files and
    // the start of the watch.
    const watcher = watch(directory, { depth: 0, followSymlinks: false, ignoreInitial: false });
    this.#watchers.set(directory, watcher);
    watcher.on('all', (event, path) => {
      this.#failed.delete(directory);
      // Another directory may replace it.
      if (event === 'unlinkDir' && path === directory) this.#end(directory);
      this.#options.onChange();
    });
    watcher.on('error', (error) => {
      this.#end(directory);
      if (this.#failed.has(directory)) return;
      this.#failed.add(directory);
      this.#options.onError(error as Error, directory);
    });
  }

  #end(directory: string): void {
    const watcher = this.#watchers.get(directory);
    if (!watcher) return;
    this.#watchers.delete(directory);
    const closing = watcher.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
