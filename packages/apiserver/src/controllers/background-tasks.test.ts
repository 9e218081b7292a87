import { describe, expect, it, jest } from '@jest/globals';
import { BackgroundTasks } from './background-tasks.ts';

describe('BackgroundTasks', () => {
  it('K-30: lets others run between slices, also if a task adds further ones', async () => {
    const tasks = new BackgroundTasks();
    const done = Promise.withResolvers<void>();
    tasks.add('long', function* () {
      for (let step = 0; step < 60; step++) {
        tasks.add(`further ${step}`, function* () {
          yield;
        });
        const end = performance.now() + 2;
        while (performance.now() < end);
        yield;
      }
      done.resolve();
    });
    let turns = 0;
    const count = () => {
      turns += 1;
      turn = setImmediate(count);
    };
    let turn = setImmediate(count);
    await done.promise;
    clearImmediate(turn);
    // A slice is as long as three steps.
    expect(turns).toBeGreaterThanOrEqual(15);
  });

  it('runs a task that failed again, and others meanwhile', async () => {
    const tasks = new BackgroundTasks();
    const done = Promise.withResolvers<void>();
    const steps: string[] = [];
    const log = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    tasks.add('failing', function* () {
      steps.push('failing');
      yield;
      if (steps.length < 3) throw new Error('no space left on device');
      done.resolve();
    });
    tasks.add('other', function* () {
      steps.push('other');
      yield;
    });
    await done.promise;
    expect(steps).toEqual(['failing', 'other', 'failing']);
    expect(log.mock.calls).toEqual([
      ['API server: task "failing" failed, and is tried again: no space left on device\n'],
    ]);
    log.mockRestore();
    tasks.stop();
  });

  it('drops its tasks when it stops, and takes no further turn', async () => {
    const tasks = new BackgroundTasks();
    const steps: string[] = [];
    tasks.add('first', function* () {
      steps.push('first');
      tasks.stop();
      yield;
      steps.push('after the stop');
    });
    tasks.add('second', function* () {
      steps.push('second');
      yield;
    });
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect(steps).toEqual(['first']);
  });
});
