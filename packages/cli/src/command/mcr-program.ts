import { Command, CommanderError } from 'commander';
import { addDescribe } from '../project/describe-command.ts';
import { addAdd } from '../add/add-command.ts';
import { addGenerate } from '../generate/generate-command.ts';
import { addDev } from '../dev/dev-command.ts';
import { addCompletion } from '../completion/completion-command.ts';
import { completedText } from '../completion/known-names.ts';
import { COMPLETE } from '../completion/shell-script.ts';
import { addFleet } from '../fleet/fleet-command.ts';
import { addSbom } from '../sbom/sbom-command.ts';
import { addRemove } from '../webhooks/remove-command.ts';
import { addTypes } from '../types/types-command.ts';
import { commandsFirst } from './argument-order.ts';
import type { Output } from './output.ts';
import { VERSION } from './version.built.ts';

/** Exit codes of the program. */
const EXIT = { success: 0, failure: 1, usage: 2 } as const;

/** Maximum size of a failure that is printed, in bytes. It may have texts of files and clusters. */
const MAX_FAILURE = 4096;

/** Runs `mcr` with the arguments after its name. @returns the exit code. */
export async function runMcr(args: readonly string[], output: Output): Promise<number> {
  const results: boolean[] = [];
  const mcr = new Command('mcr')
    .description(
      'Runs multi-cluster controllers on this machine, writes their manifests, and shows and changes their clusters.',
    )
    .version(VERSION, '--version', 'print the version')
    .addHelpText('after', '\nExit codes: 0 for success, 1 for a failure, 2 for wrong arguments, 130 after Ctrl-C.')
    .exitOverride()
    .configureOutput({
      writeOut: output.print,
      writeErr: output.warn,
      outputError: (text, write) => write(text.replace(/^error: /, 'mcr: ')),
    });
  const finish = (isSuccessful: boolean): void => void results.push(isSuccessful);
  addDev(mcr, output, finish);
  addGenerate(mcr, output, finish);
  addAdd(mcr, output, finish);
  addDescribe(mcr);
  addFleet(mcr, output, finish);
  addTypes(mcr, output, finish);
  addSbom(mcr, output, finish);
  const webhooks = mcr.command('webhooks').description('remove webhook configurations, in an emergency');
  addRemove(webhooks, output, finish);
  addCompletion(mcr, output);
  const [first, ...words] = args;
  if (first === COMPLETE) {
    output.print(await completedText(mcr, words, output));
    return EXIT.success;
  }
  try {
    await mcr.parseAsync(args.length === 0 ? ['--help'] : commandsFirst(mcr, args), { from: 'user' });
    return results.includes(false) ? EXIT.failure : EXIT.success;
  } catch (error) {
    // The help, or wrong arguments. It is already printed.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
    // A signal is not an error.
    if (!output.signal.aborted) output.warn(`mcr: ${await messageOf(error as Error)}\n`);
    return EXIT.failure;
  }
}

async function messageOf({ name, message }: Error): Promise<string> {
  if (name === 'TimeoutError') return 'no answer before the deadline: set --timeout to a longer one';
  // Loaded here, because most commands do not fail.
  const { shortened, terminalText } = await import('@mcr/core/provider');
  // Messages of the YAML parser have several lines. No text of others may look like a message of its own.
  const text = message.split('\n').map(terminalText).join('\n');
  return shortened(text.replaceAll(/\n(?=[^\n])/gu, '\n  '), MAX_FAILURE);
}
