import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Project } from './project.ts';
import { DESCRIBE_COMMAND, type ProjectMessage, type Stage } from './project-message.ts';

const OVERDUE: Readonly<Record<Stage, string>> = {
  import: 'the import has not ended',
  'manager()': 'manager() has not returned',
  'setup()': 'setup() has not returned',
};

/** Time in which the output of a process that has ended is read, in milliseconds. */
const OUTPUT_TIMEOUT = 1_000;

/** Deadline of the import, in seconds. It includes the start of the process. */
const IMPORT_TIMEOUT = 60;

/** Options of {@link readProject}. */
export interface ReadProjectOptions {
  /** Path of the config. */
  readonly config: string;
  /** Deadline for `manager()`, and for `setup()`, in seconds. */
  readonly timeout: number;
  /** Variables beside those of this process. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Receives what the config prints. */
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Describes a project. A process of its own imports the config, so that each call reads the current files, and code of the
 * project that does not end has no effect on this process.
 *
 * @throws {Error} if the config does not exist, fails, or takes longer than the deadline.
 */
export async function readProject({ config, timeout, env, warn, signal }: ReadProjectOptions): Promise<Project> {
  const file = resolve(config);
  if (!existsSync(file)) {
    throw new Error(`${file}: no such file: run the command in the directory of the project, or set --config <file>`);
  }
  signal.throwIfAborted();
  const program = createRequire(import.meta.url).resolve('@mcr/cli/mcr');
  // Node.js runs the sources of this package with this condition.
  const execArgv = program.endsWith('.ts') ? ['--conditions=@mcr/source'] : [];
  const child = fork(program, [DESCRIBE_COMMAND, file], {
    execArgv,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', warn);
  const { promise, resolve: succeed, reject } = Promise.withResolvers<Project>();
  let stage: Stage;
  let timer: NodeJS.Timeout | undefined;
  const begin = (next: Stage): void => {
    stage = next;
    clearTimeout(timer);
    const limit = stage === 'import' ? IMPORT_TIMEOUT : timeout;
    const message = `${file}: ${OVERDUE[stage]} after ${limit} s: it must not wait for clusters${stage === 'import' ? '' : '; see --timeout'}`;
    timer = setTimeout(() => {
      reject(new Error(message));
    }, limit * 1000);
  };
  begin('import');
  child.on('message', (message: ProjectMessage) => {
    if (message.type === 'stage') begin(message.stage);
    else if (message.type === 'project') succeed(message.project);
    else reject(new Error(message.message));
  });
  child.once('error', reject);
  child.once('exit', (code, killed) => {
    reject(new Error(`${file}: the process ended with ${killed ?? `exit code ${code}`} during ${stage}`));
  });
  const closed = new Promise<void>((resolveClosed) => child.once('close', () => resolveClosed()));
  const onAbort = (): void => {
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    child.kill('SIGKILL');
    // Processes that the config started may keep its output open.
    await Promise.race([closed, sleep(OUTPUT_TIMEOUT, undefined, { ref: false })]);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  }
}
