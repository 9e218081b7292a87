import { watch } from 'chokidar';
import type { FSWatcher } from 'chokidar';

export interface DirectoryWatchesOptions {
  /** Something in one of the directories has changed, or was there when its watch began. */
  readonly onChange: () => void;
  /** A directory cannot be watched. It is tried again whenever it is asked for; this is told of once. */
  readonly onError: (error: Error, directory: string) => void;
}

/** Watches directories, each with what is in it and without what is below. */
export class DirectoryWatches {
  readonly #options: DirectoryWatchesOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  /** The directories of which was told that they cannot be watched. */
  readonly #failed = new Set<string>();
  /** The watchers that are being closed. */
  readonly #closing = new Set<Promise<void>>();

  constructor(options: DirectoryWatchesOptions) {
    this.#options = options;
  }

  /** Watches these directories and no others. */
  watch(directories: ReadonlySet<string>): void {
    for (const directory of this.#watchers.keys()) if (!directories.has(directory)) this.#end(directory);
    for (const directory of directories) if (!this.#watchers.has(directory)) this.#begin(directory);
  }

  /** Resolves when nothing is watched any more. */
  async close(): Promise<void> {
    this.watch(new Set());
    await Promise.all(this.#closing);
  }

  #begin(directory: string): void {
    // That a link was exchanged is seen at the link. What exists is told of, so that nothing falls between a look at
    // the files and the beginning of the watch.
    const watcher = watch(directory, { depth: 0, followSymlinks: false, ignoreInitial: false });
    this.#watchers.set(directory, watcher);
    watcher.on('all', (event, path) => {
      this.#failed.delete(directory);
      // Another directory may come in its place.
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
