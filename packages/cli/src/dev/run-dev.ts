import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Output } from '../command/output.ts';
import { readProject } from '../project/read-project.ts';
import { startFleet } from './dev-fleet.ts';
import { runWatched } from './run-watched.ts';

/** Options of `mcr dev`. */
export interface DevOptions {
  /** Path of the config. */
  readonly config: string;
  /** Path of the program, from the directory of the config. */
  readonly main: string;
  readonly members: number;
  /** Deadline for each function of the config, in seconds. */
  readonly timeout: number;
}

/** `mcr dev`: runs a program on a fleet on this machine until the signal. @returns whether the signal ended it. */
export async function runDev(options: DevOptions, { print, warn, signal }: Output): Promise<boolean> {
  const { config, main, members, timeout } = options;
  const directory = dirname(resolve(config));
  const file = resolve(directory, main);
  const project = await readProject({ config, timeout, warn, signal });
  if (!existsSync(file)) throw new Error(`--main: ${file}: no such file: set --main <file> to the program`);
  await using started = new AsyncDisposableStack();
  const fleet = started.use(await startFleet(project, members));
  const scratch = started.adopt(await mkdtemp(join(tmpdir(), 'mcr-dev-')), (path) => rm(path, { recursive: true }));
  const kubeconfig = join(scratch, 'hub.kubeconfig');
  await writeFile(kubeconfig, fleet.hub.kubeconfig, { mode: 0o600 });
  print(`a hub and ${members} ${members === 1 ? 'member' : 'members'} run on this machine\n`);
  print(`export KUBECONFIG=${kubeconfig}\n`);
  await runWatched(file, { directory, env: { KUBECONFIG: kubeconfig }, signal });
  if (!signal.aborted) warn('mcr: the watcher of the program has ended\n');
  return signal.aborted;
}
