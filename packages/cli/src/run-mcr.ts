import { commandOf, type Output } from './command/commands.ts';
import { UsageError } from './command/flags.ts';

/* The program `mcr`. */

/** Exit codes: 128 and the number of the signal, as shells report it. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

async function main(): Promise<void> {
  const run = commandOf(process.argv.slice(2));
  const stop = new AbortController();
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.once(signal, () => {
      process.exitCode = code;
      stop.abort();
    });
  }
  const output: Output = {
    print: (text) => void process.stdout.write(text),
    warn: (text) => void process.stderr.write(text),
    signal: stop.signal,
  };
  const isSuccessful = await run(output);
  if (!stop.signal.aborted) process.exitCode = isSuccessful ? 0 : 1;
}

// A reader that has gone, such as `head`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

main().catch((error: unknown) => {
  const { message } = error as Error;
  process.stderr.write(`mcr: ${message}\n`);
  // After a signal, its code is set.
  process.exitCode ??= error instanceof UsageError ? 2 : 1;
});
