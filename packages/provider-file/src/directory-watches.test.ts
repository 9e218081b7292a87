import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';

class FakeWatcher extends EventEmitter {
  readonly close = jest.fn(async () => undefined);
}
const watchers: { readonly directory: string; readonly watcher: FakeWatcher }[] = [];
jest.unstable_mockModule('chokidar', () => ({
  watch(directory: string) {
    const watcher = new FakeWatcher();
    watchers.push({ directory, watcher });
    return watcher;
  },
}));
const { DirectoryWatches } = await import('./directory-watches.ts');

describe('DirectoryWatches', () => {
  afterEach(() => void watchers.splice(0));

  const begin = () => {
    const told: string[] = [];
    let changes = 0;
    const watches = new DirectoryWatches({
      onChange: () => changes++,
      onError: (error, directory) => told.push(`${directory}: ${error.message}`),
    });
    return { watches, told, changes: () => changes };
  };
  const latest = () => {
    const last = watchers.at(-1);
    if (!last) throw new Error('expected a watcher');
    return last.watcher;
  };

  it('FI-3: reports once that a directory cannot be watched, retries at the next call, and reports again after a success', async () => {
    const { watches, told, changes } = begin();
    const tooMany = new Error('EMFILE: too many open files');
    for (let attempt = 0; attempt < 3; attempt++) {
      watches.watch(new Set(['/fleet']));
      latest().emit('error', tooMany);
    }
    expect(watchers).toHaveLength(3);
    expect(told).toEqual(['/fleet: EMFILE: too many open files']);
    for (const { watcher } of watchers) expect(watcher.close).toHaveBeenCalledTimes(1);

    watches.watch(new Set(['/fleet']));
    latest().emit('all', 'addDir', '/fleet');
    expect(changes()).toBe(1);
    latest().emit('error', tooMany);
    expect(told).toHaveLength(2);
    await watches.close();
  });

  it('FI-3: watches a deleted directory again when it exists, and stops watching directories that are no longer passed', async () => {
    const { watches, changes } = begin();
    watches.watch(new Set(['/a', '/b']));
    watches.watch(new Set(['/b']));
    expect(watchers.map(({ directory }) => directory)).toEqual(['/a', '/b']);
    expect(watchers[0]?.watcher.close).toHaveBeenCalled();
    latest().emit('all', 'unlinkDir', '/b');
    expect(changes()).toBe(1);
    watches.watch(new Set(['/b']));
    expect(watchers.map(({ directory }) => directory)).toEqual(['/a', '/b', '/b']);
    await watches.close();
    for (const { watcher } of watchers) expect(watcher.close).toHaveBeenCalledTimes(1);
  });
});
