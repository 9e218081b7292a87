import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { CrdManifest } from '@mcr/core';
import { atExit } from './at-exit.ts';
import { CONFIG_VARIABLE, GO, type ProgramMessage } from './program-message.ts';

/** Time for a program to end after the signal, in milliseconds. Then it is killed. */
export const GRACE = 15_000;

const PRELOAD = createRequire(import.meta.url).resolve('@mcr/cli/dev-preload');
const EXEC_ARGV = [
  // Node.js runs the sources of this package with this condition.
  ...(PRELOAD.endsWith('.ts') ? ['--conditions=@mcr/source'] : []),
  ...['--import', pathToFileURL(PRELOAD).href],
];

/** A process of the program, and the receivers of its events. */
export interface ProgramOptions {
  /** Absolute path of the program. */
  readonly file: string;
  /** Absolute path of the config. */
  readonly config: string;
  readonly directory: string;
  /** Variables beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Receives the lines that the program prints. Default: it prints to the streams of this process. */
  readonly onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
  /** Receives each file that the program loads. */
  readonly onFile: (path: string) => void;
  /** Receives the kinds of the config. The program runs when the result resolves. */
  readonly onDefinitions: (definitions: readonly CrdManifest[]) => Promise<void>;
}

/** A process of a program. It ends when this process ends, even if this process is killed. */
export class Program {
  /** Resolves with the exit code or the signal that ended the program. No process of its group is left then. */
  readonly ended: Promise<string>;
  /** Resolves when the program has left the preparation, or has ended. */
  readonly begun: Promise<void>;
  readonly #child: ChildProcess;
  #isStopped = false;

  constructor({ file, config, directory, env, onLine, onFile, onDefinitions }: ProgramOptions) {
    const output = onLine ? 'pipe' : 'inherit';
    this.#child = fork(file, {
      cwd: directory,
      env: { ...process.env, ...env, [CONFIG_VARIABLE]: config },
      execArgv: [...process.execArgv.filter((argument) => !EXEC_ARGV.includes(argument)), ...EXEC_ARGV],
      stdio: ['ignore', output, output, 'ipc'],
      // A group of its own: it does not get the signals of the terminal, and its processes can be killed together.
      detached: true,
    });
    const begun = Promise.withResolvers<void>();
    this.begun = begun.promise;
    this.#child.on('message', (message: ProgramMessage) => {
      if (message.type === 'file') onFile(message.path);
      else
        void onDefinitions(message.definitions).then(
          () => this.#child.connected && this.#child.send(GO, () => begun.resolve()),
        );
    });
    for (const stream of onLine ? (['stdout', 'stderr'] as const) : []) {
      eachLine(this.#child[stream], (line) => onLine?.(line, stream));
    }
    const guard = atExit(() => this.kill());
    this.ended = new Promise((resolve) => {
      const end = (reason: string): void => {
        this.kill();
        guard[Symbol.dispose]();
        begun.resolve();
        resolve(reason);
      };
      this.#child.once('error', ({ message }) => end(message));
      this.#child.once('exit', (code, signal) => end(signal ?? `exit code ${code ?? 'unknown'}`));
    });
  }

  /** Whether {@link stop} was called. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Ends the program as in a cluster, and kills it after the grace. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#signal('SIGTERM');
    const timer = setTimeout(() => this.kill(), GRACE);
    await this.ended;
    clearTimeout(timer);
  }

  /** Kills the program and the processes that it started. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  #signal(name: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child;
    try {
      if (pid !== undefined) process.kill(-pid, name);
    } catch (error) {
      // The group has ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Maximum length of a line of a program, in characters. Longer ones are divided. */
const MAX_LINE = 65_536;

function eachLine(stream: NodeJS.ReadableStream | null, receive: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(receive);
    if (rest.length < MAX_LINE) return;
    receive(rest);
    rest = '';
  });
  stream?.on('end', () => {
    if (rest !== '') receive(rest);
  });
}
