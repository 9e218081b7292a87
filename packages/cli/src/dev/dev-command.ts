import type { Command } from 'commander';
import { secondsOf, text, wholeNumber } from '../command/option-values.ts';
import type { Output } from '../command/output.ts';
import { configOption } from '../project/config-option.ts';
import type { DevOptions } from './run-dev.ts';

/** Number of members by default, and maximum number. */
const MEMBERS = 2;
const MAX_MEMBERS = 100;
/** Default deadline of the config, in seconds. */
const TIMEOUT = 30;

/** Adds `mcr dev`. @param finish receives whether it ended by a signal. */
export function addDev(mcr: Command, output: Output, finish: (isSuccessful: boolean) => void): void {
  mcr
    .command('dev')
    .summary('run the program on a fleet on this machine, and restart it after changes')
    .description(
      'Starts a hub and members with the embedded API server, installs the kinds of mcr.config.ts, and runs the program.\n' +
        'Restarts the program when one of its files changes; the clusters keep their objects. Ends with Ctrl-C.',
    )
    .addOption(configOption())
    .option('--main <file>', 'the program, from the directory of the config', text, 'src/main.ts')
    .option('--members <n>', 'number of members', wholeNumber(0, MAX_MEMBERS), MEMBERS)
    .option('--timeout <seconds>', 'deadline for manager(), and for setup()', secondsOf, TIMEOUT)
    .action(async (options: DevOptions) => {
      const { runDev } = await import('./run-dev.ts');
      finish(await runDev(options, output));
    });
}
