import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Program } from './program.ts';

describe('a program of a control plane', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcr-program-test-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });
  afterEach(() => void jest.useRealTimers());

  it('is killed if it does not end in time', async () => {
    const log = join(folder, 'stubborn.log');
    const program = await Program.start(
      '/bin/sh',
      ['-c', `trap 'echo no' TERM; echo up; while :; do sleep 0.1; done`],
      log,
    );
    while ((await program.tail()) !== 'up') await new Promise((resolve) => setTimeout(resolve, 20));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    const stopped = program.stop(500);
    while ((await program.tail()) !== 'up\nno') await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(499);
    expect(program.end).toBeUndefined();
    jest.advanceTimersByTime(1);
    await stopped;
    expect(program.end).toBe('SIGKILL');
  });

  it('reports how it ended, and the end of its log', async () => {
    const log = join(folder, 'brief.log');
    const program = await Program.start('/bin/sh', ['-c', 'seq 100; exit 4'], log);
    while (program.end === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(program.end).toBe('exit code 4');
    expect((await program.tail()).split('\n')).toEqual(Array.from({ length: 20 }, (_, index) => String(index + 81)));
  });
});
