import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FSWatcher, watch } from 'chokidar';
import type { Say } from './say.ts';

/** Time without a further change before the program restarts, in milliseconds. Editors and tools often save several files. */
const QUIET = 50;
/** File systems round the time of a change down by this, in milliseconds. */
const CLOCK_SLACK = 20;

/** A change of at least one file. */
export interface Change {
  /** Absolute path of the file that changed first. */
  readonly path: string;
  /** Time of `performance.now()`. */
  readonly since: number;
}

/** The files that a program has loaded, and their changes since then. */
export class LoadedFiles implements AsyncDisposable {
  /** Time since which changes of each file count. */
  readonly #loaded = new Map<string, number>();
  /** A watch of the directory of each file sees also editors that replace the file. */
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #say: Say;
  #change: Change | undefined;
  #last = 0;
  #arrival = new AbortController();

  constructor(say: Say) {
    this.#say = say;
  }

  /** Aborts when a change arrives. */
  get arrival(): AbortSignal {
    return this.#arrival.signal;
  }

  /** Watches a file that a program loads now. */
  add(path: string): void {
    if (!this.#loaded.has(path)) this.#loaded.set(path, Date.now());
    const directory = dirname(path);
    if (this.#watchers.has(directory)) return;
    // The first events close the gap between the load of a file and the start of its watch.
    const watcher = watch(directory, { depth: 0, ignoreInitial: false, alwaysStat: true });
    this.#watchers.set(directory, watcher);
    watcher.on('all', (event, changed, stats) =>
      this.#observe(changed, event === 'unlink' ? Infinity : stats?.ctimeMs),
    );
    watcher.on('error', (error) => {
      // A link to itself, which no program can load.
      if ((error as NodeJS.ErrnoException).code === 'ELOOP') return;
      this.#say.problem(`failed to watch ${directory}: ${(error as Error).message}: start mcr dev again`);
    });
  }

  /** Waits for changes, until there are no further ones. The change remains until {@link take}. */
  async changed(signal: AbortSignal): Promise<void> {
    await aborted(this.arrival, signal);
    for (;;) {
      const rest = this.#last + QUIET - performance.now();
      if (rest <= 0) return;
      await sleep(rest, undefined, { signal });
    }
  }

  /** Returns the change since the last call, and forgets it, because the program loads its files again now. */
  take(): Change | undefined {
    const change = this.#change;
    const now = Date.now();
    for (const path of this.#loaded.keys()) this.#loaded.set(path, now);
    this.#change = undefined;
    if (this.#arrival.signal.aborted) this.#arrival = new AbortController();
    return change;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#watchers.values()].map((watcher) => watcher.close()));
  }

  /** @param changedAt time of the change. `ctime` is the time of the replacement also if an older file replaces the file. */
  #observe(path: string, changedAt = 0): void {
    const since = this.#loaded.get(path);
    if (since === undefined || changedAt <= since - CLOCK_SLACK) return;
    this.#last = performance.now();
    this.#change ??= { path, since: this.#last };
    this.#arrival.abort();
  }
}

/** Resolves when the first signal aborts. @throws the reason of the second one. */
function aborted(signal: AbortSignal, stop: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onStop = (): void => reject(stop.reason as Error);
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  if (signal.aborted) onAbort();
  return promise.finally(() => {
    signal.removeEventListener('abort', onAbort);
    stop.removeEventListener('abort', onStop);
  });
}
