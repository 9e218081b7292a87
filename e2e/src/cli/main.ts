import process from 'node:process';
import { isUsageError, HELP, parseArguments } from './arguments.ts';
import { CATALOGUE } from './catalogue.ts';
import { clean } from './clean.ts';
import { Progress } from './progress.ts';
import { runScenarios } from './run-scenarios.ts';

/** Exit codes of a program that a signal ended, as a shell reports them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The exit code if the reader of the output has closed it, like SIGPIPE. */
const OUTPUT_CLOSED = 141;

const progress = new Progress();
const interruption = new AbortController();
for (const signal of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]) {
  process.on(signal, () => {
    process.exitCode = SIGNALS[signal];
    if (interruption.signal.aborted) {
      // Programs such as `timeout` send SIGTERM to the whole process group, whose members pass it on: it arrives twice.
      if (signal !== 'SIGINT') return;
      progress.say(`\n${signal}: not everything is cleaned up: run pnpm e2e clean, with --existing if this run had it`);
      process.exit();
    }
    progress.say(`\n${signal}: cleaning up; a further Ctrl-C ends this program at once`);
    interruption.abort();
  });
}
// A reader such as `head` may end first. The run is cleaned up all the same.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', () => {
    process.exitCode = OUTPUT_CLOSED;
    interruption.abort();
  });
}

try {
  const command = parseArguments(process.argv.slice(2));
  if (command.type === 'help') console.log(HELP);
  else if (command.type === 'list') list();
  else if (command.type === 'clean') await clean(command, progress);
  else process.exitCode = await runScenarios(command, { progress, signal: interruption.signal });
} catch (error) {
  if (interruption.signal.aborted) process.exit();
  report(error);
}

function report(error: unknown): void {
  if (error instanceof SuppressedError) {
    // The work failed, and so did the cleaning up after it.
    report(error.suppressed);
    report(error.error);
    return;
  }
  console.error(isUsageError(error) ? `${error.message}\nsee pnpm e2e --help` : error);
  process.exitCode = isUsageError(error) ? 2 : 1;
}

function list(): void {
  const width = Math.max(...CATALOGUE.map(({ name }) => name.length));
  for (const { name, about, only } of CATALOGUE) {
    console.log(`${name.padEnd(width)}  ${about}${only ? ` (${only.backends.join(', ')} only)` : ''}`);
  }
}
