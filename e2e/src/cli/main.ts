import process from 'node:process';
import { isUsageError, HELP, parseArguments } from './arguments.ts';
import { CATALOGUE } from './catalogue.ts';
import { clean } from './clean.ts';
import { Progress } from './progress.ts';
import { runScenarios } from './run-scenarios.ts';

/** Exit codes of a program that a signal ended, as a shell reports them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const progress = new Progress();
const interruption = new AbortController();
for (const signal of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]) {
  process.on(signal, () => {
    if (!interruption.signal.aborted) progress.say(`\n${signal}: cleaning up`);
    process.exitCode = SIGNALS[signal];
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
  console.error(isUsageError(error) ? `${error.message}\nsee pnpm e2e --help` : error);
  process.exitCode = isUsageError(error) ? 2 : 1;
}

function list(): void {
  const width = Math.max(...CATALOGUE.map(({ name }) => name.length));
  for (const { name, about, only } of CATALOGUE) {
    console.log(`${name.padEnd(width)}  ${about}${only ? ` (${only.backends.join(', ')} only)` : ''}`);
  }
}
