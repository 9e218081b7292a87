import { Command, CommanderError } from 'commander';
import { terminalText } from '@mcr/core/provider';
import { addFleet } from '../fleet/fleet-command.ts';
import { addRemove } from '../webhooks/remove-command.ts';
import { addTypes } from '../types/types-command.ts';
import type { Output } from './output.ts';

/** Exit codes of the program. */
const EXIT = { success: 0, failure: 1, usage: 2 } as const;

/** Runs `mcr` with the arguments after its name. @returns the exit code. */
export async function runMcr(args: readonly string[], output: Output): Promise<number> {
  const results: boolean[] = [];
  const mcr = new Command('mcr')
    .description('Tools for Kubernetes kinds and controllers of many clusters.')
    .addHelpText('after', '\nExit codes: 0 for success, 1 for a failure, 2 for wrong arguments.')
    .exitOverride()
    .configureOutput({
      writeOut: output.print,
      writeErr: output.warn,
      outputError: (text, write) => write(text.replace(/^error: /, 'mcr: ')),
    });
  const finish = (isSuccessful: boolean): void => void results.push(isSuccessful);
  addFleet(mcr, output, finish);
  addTypes(mcr, output, finish);
  const webhooks = mcr.command('webhooks').description('webhook configurations in clusters');
  addRemove(webhooks, output, finish);
  try {
    await mcr.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    return results.includes(false) ? EXIT.failure : EXIT.success;
  } catch (error) {
    // The help, or wrong arguments. It is already printed.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
    // Messages of the YAML parser have several lines.
    output.warn(`mcr: ${(error as Error).message.split('\n').map(terminalText).join('\n')}\n`);
    return EXIT.failure;
  }
}
