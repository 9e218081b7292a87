import type { Command } from 'commander';
import { secondsOf, text, wholeNumber } from '../command/option-values.ts';
import type { Output } from '../command/output.ts';
import { configOption } from '../project/config-option.ts';
import type { DevOptions } from './run-dev.ts';

/** Maximum numbers of members and of replicas. */
const MAX_MEMBERS = 100;
const MAX_REPLICAS = 10;
/** Default deadline of the config, in seconds. */
const TIMEOUT = 30;

/** Adds `mcr dev`. @param finish receives whether it ended by a signal. */
export function addDev(mcr: Command, output: Output, finish: (isSuccessful: boolean) => void): void {
  mcr
    .command('dev')
    .summary('run the program on a fleet on this machine, and restart it after changes')
    .description(
      'Starts a hub and members with the embedded API server, installs the kinds of mcr.config.ts, and runs the program.\n' +
        'Restarts the program when a file changes that it loads, and installs changed kinds; the clusters keep their objects.\n' +
        'Prints the address of the fleet page, and opens it in a browser if the output is a terminal. Ends with Ctrl-C.',
    )
    .addOption(configOption())
    .option('--main <file>', 'the program, from the directory of the config', text, 'src/main.ts')
    .option('--members <n>', 'number of members (default: 2; 0 without a provider)', wholeNumber(0, MAX_MEMBERS))
    .option('--replicas <n>', 'number of processes of the program', wholeNumber(1, MAX_REPLICAS), 1)
    .option('--no-open', 'do not open the fleet page in a browser')
    .option('--timeout <seconds>', 'deadline for manager(), and for setup()', secondsOf, TIMEOUT)
    .action(async (options: DevOptions) => {
      const { runDev } = await import('./run-dev.ts');
      finish(await runDev(options, output));
    });
}
