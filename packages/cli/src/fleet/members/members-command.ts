import { type Command, InvalidArgumentError } from 'commander';
import { choiceOption, kubeconfigOption, secondsOf, text } from '../../command/option-values.ts';
import type { Output } from '../../command/output.ts';
import type { AddOptions, CheckOptions, RemoveOptions } from './run-members.ts';

/** Default deadline, in seconds. */
const TIMEOUT = 30;
/** Shortest lifetime of a token that API servers accept, in seconds. */
const SHORTEST_LIFETIME = 600;

/** Adds `mcr fleet add`, `check` and `remove`. @param finish receives whether a command succeeded. */
export function addMembers(fleet: Command, output: Output, finish: (isSuccessful: boolean) => void): void {
  withTimeout(withMember(fleet.command('check')))
    .summary('tell whether a cluster would engage, before it is added')
    .description(
      'Connects to a cluster with its kubeconfig, as the kubeconfig provider would, and says what to do about a failure. ' +
        'Exits with 1 if a check failed.',
    )
    .addOption(choiceOption('-o, --output <format>', 'format (default: a table)', ['json']))
    .action(async (options: CheckOptions) => {
      const { runCheck } = await import('./run-members.ts');
      finish(await runCheck(options, output));
    });
  const add = withTimeout(
    withHub(withMember(fleet.command('add').argument('<name>', 'name of the cluster and of the Secret'))),
  )
    .summary('add a cluster: write the Secret of the kubeconfig provider')
    .description(
      'Writes a Secret with the kubeconfig of a cluster to the hub. With --rules, creates a ServiceAccount with these ' +
        'permissions in the cluster, and the Secret holds its token. A second run changes only what differs.',
    )
    .option(
      '--rules <file>',
      'permissions of the ServiceAccount: RBAC rules, a Role or a ClusterRole (default: none is created)',
      text,
    )
    .option(
      '--token-lifetime <seconds>',
      'lifetime of its token (default: it does not expire, and is kept in the cluster)',
      lifetimeOf,
    )
    .option('--secret-key <key>', 'key of the kubeconfig in the Secret (default: kubeconfig)', text)
    .option('--no-check', 'add the cluster without checking it');
  add.action(async (name: string, options: AddOptions) => {
    if (options.tokenLifetime !== undefined && options.rules === undefined)
      add.error("error: option '--token-lifetime <seconds>' needs option '--rules <file>'");
    const { runAdd } = await import('./run-members.ts');
    finish(await runAdd(name, options, output));
  });
  withTimeout(withHub(fleet.command('remove').alias('delete').argument('<name>', 'name of the cluster')))
    .summary('remove a cluster: delete the Secret of the kubeconfig provider')
    .description(
      'Deletes the Secret of a cluster from the hub, which disengages the cluster. A ServiceAccount that mcr fleet add ' +
        'created stays in the cluster.',
    )
    .action(async (name: string, options: RemoveOptions) => {
      const { runRemove } = await import('./run-members.ts');
      finish(await runRemove(name, options, output));
    });
}

function withMember(command: Command): Command {
  return command
    .addOption(kubeconfigOption())
    .option('--context <name>', 'context of the cluster (default: the current one)', text);
}

function withHub(command: Command): Command {
  return command
    .requiredOption('-n, --namespace <name>', 'namespace of the Secret in the hub (required)', text)
    .option('--hub-kubeconfig <file>', 'kubeconfig file of the hub (default: $KUBECONFIG, else ~/.kube/config)', text)
    .option('--hub-context <name>', 'context of the hub (default: the current one)', text)
    .option(
      '--secret-label <key>',
      "the provider's secretLabel (default: sigs.k8s.io/multicluster-runtime-kubeconfig)",
      text,
    )
    .option('--dry-run', 'print what would change');
}

function withTimeout(command: Command): Command {
  return command.option('--timeout <seconds>', 'deadline', secondsOf, TIMEOUT);
}

function lifetimeOf(value: string): number {
  const seconds = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (seconds >= SHORTEST_LIFETIME) return seconds;
  throw new InvalidArgumentError(`expected whole seconds, at least ${SHORTEST_LIFETIME}`);
}
