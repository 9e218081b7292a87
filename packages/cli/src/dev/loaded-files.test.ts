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
const { LoadedFiles } = await import('./loaded-files.ts');

describe('LoadedFiles', () => {
  afterEach(() => void watchers.splice(0));

  const begin = () => {
    const problems: string[] = [];
    const files = new LoadedFiles({ step: () => undefined, problem: (text) => void problems.push(text) });
    const emit = (event: string, path: string, ctimeMs = Date.now()) =>
      void watchers[0]?.watcher.emit('all', event, path, event === 'unlink' ? undefined : { ctimeMs });
    return { files, problems, emit };
  };
  const { signal } = new AbortController();

  it('WB-2: reports many saves as one change, which it names by the first file', async () => {
    const { files, emit } = begin();
    files.add('/a/main.ts');
    files.add('/a/setup.ts');
    expect(watchers.map(({ directory }) => directory)).toEqual(['/a']);
    emit('change', '/a/setup.ts');
    for (let count = 0; count < 20; count++) emit('change', '/a/main.ts');
    expect(files.arrival.aborted).toBe(true);
    await files.changed(signal);
    expect(files.take()).toMatchObject({ path: '/a/setup.ts' });
    expect(files.arrival.aborted).toBe(false);
    expect(files.take()).toBeUndefined();
  });

  it('WB-2: ignores files that the program did not load, and changes from before the load', () => {
    const { files, emit } = begin();
    files.add('/a/main.ts');
    emit('change', '/a/main.test.ts');
    emit('add', '/a/main.ts', Date.now() - 60_000);
    expect(files.arrival.aborted).toBe(false);
    emit('unlink', '/a/main.ts');
    expect(files.arrival.aborted).toBe(true);
    files.take();
    // An event that arrives late: the new process loads this change.
    emit('change', '/a/main.ts', Date.now() - 60_000);
    expect(files.arrival.aborted).toBe(false);
  });

  it('WB-2: stops waiting at the signal, says which directory cannot be watched, and closes its watches', async () => {
    const { files, problems } = begin();
    files.add('/a/main.ts');
    await expect(files.changed(AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    const loop = Object.assign(new Error('a link to itself'), { code: 'ELOOP' });
    for (const error of [loop, new Error('ENOSPC: no watches left')]) watchers[0]?.watcher.emit('error', error);
    expect(problems).toEqual(['failed to watch /a: ENOSPC: no watches left: start mcr dev again']);
    await files[Symbol.asyncDispose]();
    expect(watchers[0]?.watcher.close).toHaveBeenCalledTimes(1);
  });
});
