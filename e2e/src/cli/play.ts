import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Run } from '../backend/run.ts';
import { RUN_VARIABLE } from '../backend/run.ts';
import type { Entry } from './catalogue.ts';
import { fileOf } from './catalogue.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

export interface PlayOptions {
  readonly run: Run;
  readonly entries: readonly Entry[];
  /** The file for the results. */
  readonly results: string;
  /** Stops it. */
  readonly signal: AbortSignal;
}

/** Plays scenarios, one after another, in a process of their own. */
export async function play({ run, entries, results, signal }: PlayOptions): Promise<void> {
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'),
    `--config=${join(ROOT, 'e2e', 'jest.config.mjs')}`,
    '--runInBand',
    `--reporters=${join(import.meta.dirname, 'progress-reporter.mjs')}`,
    '--runTestsByPath',
    ...entries.map(fileOf),
  ];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    // The channel tells the scenarios when this process has ended: they end too.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      [RUN_VARIABLE]: JSON.stringify(run),
      MCR_E2E_RESULTS: results,
      MCR_BACKEND: run.backend === 'binaries' ? 'binaries' : 'embedded',
    },
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    await once(child, 'close');
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
}
