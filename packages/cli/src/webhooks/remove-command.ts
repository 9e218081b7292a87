import { type Command, Option } from 'commander';
import { kubeconfigOption, repeated, secondsOf, text } from '../command/option-values.ts';
import type { Output } from '../command/output.ts';
import type { RemoveOptions } from './run-remove.ts';

/** Default deadline for each cluster, in seconds. */
const TIMEOUT = 30;

/** Adds `mcr webhooks remove`. @param finish receives whether every cluster succeeded. */
export function addRemove(webhooks: Command, output: Output, finish: (isSuccessful: boolean) => void): void {
  const remove = webhooks
    .command('remove')
    .summary('remove webhook configurations of a manager, in an emergency')
    .description(
      'Deletes the configurations that installWebhooks of @mcr/webhook wrote. A manager that still runs writes them again: ' +
        'stop it first. Exits with 1 if a cluster failed.',
    )
    .option(
      '--name <name>',
      'name of the configurations: the option name of installWebhooks (default: none, --all is required)',
      text,
    )
    .addOption(new Option('--all', 'all configurations that installWebhooks wrote, by their label').conflicts('name'))
    .option('--context <name>', 'context of the kubeconfig (default: the current one); repeatable', repeated)
    .addOption(new Option('--all-contexts', 'all contexts of the kubeconfig').conflicts('context'))
    .addOption(kubeconfigOption())
    .option('--timeout <seconds>', 'deadline for each cluster', secondsOf, TIMEOUT)
    .option('--dry-run', 'print what would be removed');
  remove.action(async (options: RemoveOptions) => {
    if (options.name === undefined && !options.all) remove.error("error: '--name <name>' or '--all' is required");
    const { runRemove } = await import('./run-remove.ts');
    finish(await runRemove(options, output));
  });
}
