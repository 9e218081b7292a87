import { runMcr } from './command/mcr-program.ts';

/* The program `mcr`. */

/** Exit codes: 128 and the number of the signal, as shells report it. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** The exit code after the reader of the output, such as `head`, has gone: that of SIGPIPE, which Node.js ignores. */
const OUTPUT_CLOSED = 141;

const stop = new AbortController();
function stopWith(code: number): void {
  // The second signal does not wait for what the first one stops.
  if (stop.signal.aborted) process.exit(code);
  process.exitCode = code;
  stop.abort();
}
for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => stopWith(code));
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (!stop.signal.aborted) stopWith(OUTPUT_CLOSED);
  });
}

const code = await runMcr(process.argv.slice(2), {
  print: (text) => void process.stdout.write(text),
  warn: (text) => void process.stderr.write(text),
  // Respects NO_COLOR, FORCE_COLOR and TERM.
  isTerminal: process.stdout.isTTY,
  isColored: process.stdout.isTTY && process.stdout.hasColors(),
  get columns() {
    return process.stdout.isTTY ? process.stdout.columns : undefined;
  },
  signal: stop.signal,
});
// After a signal, its code is set.
process.exitCode ??= code;
