import { runMcr } from './command/mcr-program.ts';

/* The program `mcr`. */

/** Exit codes: 128 and the number of the signal, as shells report it. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const stop = new AbortController();
for (const [signal, code] of Object.entries(SIGNALS)) {
  process.on(signal, () => {
    // The second signal does not wait for what the first one stops.
    if (stop.signal.aborted) process.exit(code);
    process.exitCode = code;
    stop.abort();
  });
}
// A reader that has gone, such as `head`, is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const code = await runMcr(process.argv.slice(2), {
  print: (text) => void process.stdout.write(text),
  warn: (text) => void process.stderr.write(text),
  // Respects NO_COLOR, FORCE_COLOR and TERM.
  isTerminal: process.stdout.isTTY,
  isColored: process.stdout.isTTY && process.stdout.hasColors(),
  signal: stop.signal,
});
// After a signal, its code is set.
process.exitCode ??= code;
