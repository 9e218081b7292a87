import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Whether programs can be run on a terminal: `script` of util-linux is installed. */
export const HAS_TERMINAL = String(spawnSync('script', ['--version']).stdout).includes('util-linux');

export interface TerminalOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Width in columns. Default: 80. */
  readonly columns?: number;
}

/** A program, with its arguments as a shell reads them, on a terminal of its own. */
export class Terminal implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<unknown>;
  #shown = '';

  constructor(command: string, { env, cwd, columns = 80 }: TerminalOptions) {
    const args = ['--quiet', '--return', '--flush', '--command', `stty cols ${columns}; exec ${command}`, '/dev/null'];
    this.#child = spawn('script', args, { env: { ...env, SHELL: '/bin/sh' }, ...(cwd !== undefined && { cwd }) });
    this.#child.stdin.on('error', () => undefined);
    this.#closed = once(this.#child, 'close');
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#shown += text));
  }

  /** Everything that the program printed so far. */
  get shown(): string {
    return this.#shown;
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Waits for the end of the program. @returns its exit code. */
  async exited(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    await this.#closed;
  }
}
