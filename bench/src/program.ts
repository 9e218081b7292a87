import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Functions that a program runs on request. Arguments and results are passed as JSON. */
export type Commands = Readonly<Record<string, (...input: never[]) => unknown>>;

/** A program in a separate process. It runs one command at a time. */
export interface Program<C extends Commands> extends AsyncDisposable {
  /** @throws {Error} if the command fails, or if the process ends before. */
  run<Name extends keyof C & string>(name: Name, ...input: Parameters<C[Name]>): Promise<Awaited<ReturnType<C[Name]>>>;
}

/** Time that a program may take to exit, in milliseconds. */
const EXIT_DEADLINE = 10_000;

type Reply = { readonly result: unknown } | { readonly error: string };

/**
 * Starts a file that calls {@link serveCommands}. What it prints goes to standard error.
 *
 * @param flags further options of Node.js, for example `--max-old-space-size=512`.
 */
export function startProgram<C extends Commands>(file: URL, flags: readonly string[] = []): Program<C> {
  const child = fork(fileURLToPath(file), {
    execArgv: ['--conditions=@mcr/source', '--expose-gc', '--disable-warning=ExperimentalWarning', ...flags],
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    async run(name, ...input) {
      const ended = new AbortController();
      const replied = once(child, 'message', { signal: ended.signal }) as Promise<[Reply]>;
      const failed = exited.then(([code, signal]): never => {
        throw new Error(`${name}: the process ended with ${signal ?? `exit code ${String(code)}`}`);
      });
      child.send({ name, input });
      try {
        const [reply] = await Promise.race([replied, failed]);
        if ('error' in reply) throw new Error(`${name}: ${reply.error}`);
        return reply.result as never;
      } finally {
        replied.catch(() => undefined);
        failed.catch(() => undefined);
        ended.abort();
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      // Node.js may wait forever for its compiler when a process exits (nodejs/node#54918).
      const deadline = setTimeout(() => child.kill('SIGKILL'), EXIT_DEADLINE);
      await exited;
      clearTimeout(deadline);
    },
  };
}

/** Runs the commands that the parent process sends. The process ends when the parent disconnects. */
export function serveCommands(commands: Commands): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => {
    const { name, input } = message as { readonly name: string; readonly input: never[] };
    void replyTo(async () => commands[name]?.(...input)).then((reply) => process.send?.(reply));
  });
}

async function replyTo(command: () => Promise<unknown>): Promise<Reply> {
  try {
    return { result: await command() };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
