import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { parseLabelSelector } from '@mcr/core/provider';
import { choiceOption, kubeconfigOption, oneOf, repeated, secondsOf, text } from '../command/option-values.ts';
import type { Output } from '../command/output.ts';
import { addMembers } from './members/members-command.ts';
import { statusUrl } from './manager/fetch-status.ts';
import type { ManagerOptions } from './manager/manager-options.ts';
import { targetOf } from './manager/pods.ts';
import type { DescribeOptions, ListOptions } from './run-fleet.ts';
import { PHASES, SORTED_BY } from './selection.ts';
import type { WatchOptions } from './watch-fleet.ts';

const DEFAULT_URL = 'http://localhost:8080';
/** In seconds. */
const DEFAULTS = { timeout: 10, interval: 2 };

/** Adds `mcr fleet`. @param finish receives whether a command succeeded. */
export function addFleet(mcr: Command, output: Output, finish: (isSuccessful: boolean) => void): void {
  const fleet = mcr
    .command('fleet')
    .summary('show and change the clusters of a manager')
    .description(
      'Shows the clusters of a manager, by the fleet status that it serves beside its metrics. Adds clusters to the hub and ' +
        'removes them. Without a command, lists all clusters. The local cluster is (local).',
    );
  const list: Command = withManager(withSelection(fleet.command('list').alias('get')))
    .summary('print a line for each cluster')
    .addOption(choiceOption('-o, --output <format>', 'format (default: a table)', ['wide', 'name', 'json', 'yaml']))
    .addOption(choiceOption('--sort-by <column>', 'order of the clusters, ascending', SORTED_BY).default('name'))
    .addOption(
      new Option('-w, --watch', 'then print clusters when they change, as mcr fleet watch').conflicts('sortBy'),
    );
  list.action(async (names: readonly string[], options: ListOptions & { readonly watch?: boolean }) => {
    checkManager(list, options);
    const { output: format, watch: isWatched } = options;
    if (!isWatched) {
      const { runList } = await import('./run-fleet.ts');
      finish(await runList(names, options, output));
      return;
    }
    if (format !== undefined && format !== 'wide')
      list.error(`error: option '-w, --watch' cannot be used with '-o ${format}': it prints a table`);
    const { runWatch } = await import('./watch-fleet.ts');
    finish(await runWatch(names, { ...options, output: format, interval: DEFAULTS.interval }, output));
  });
  const describe = withManager(fleet.command('describe').addArgument(new Argument('<cluster>', 'name of the cluster')))
    .summary('print everything about one cluster, with its history')
    .addOption(choiceOption('-o, --output <format>', 'format (default: a text)', ['json', 'yaml']));
  describe.action(async (name: string, options: DescribeOptions) => {
    checkManager(describe, options);
    const { runDescribe } = await import('./run-fleet.ts');
    finish(await runDescribe(name, options, output));
  });
  const watch = withManager(withSelection(fleet.command('watch')))
    .summary('print clusters when they change, until Ctrl-C')
    .addOption(choiceOption('-o, --output <format>', 'format (default: a table)', ['wide']))
    .option('--interval <seconds>', 'time between two requests', secondsOf, DEFAULTS.interval);
  watch.action(async (names: readonly string[], options: WatchOptions) => {
    checkManager(watch, options);
    const { runWatch } = await import('./watch-fleet.ts');
    finish(await runWatch(names, options, output));
  });
  addMembers(fleet, output, finish);
  // The commands above do not inherit this.
  fleet.showHelpAfterError('(to print a cluster by its name: mcr fleet list NAME)');
}

/** Adds the options that say which clusters are printed. */
function withSelection(command: Command): Command {
  return command
    .addArgument(new Argument('[cluster...]', 'names of clusters (default: all)'))
    .addOption(
      new Option('-l, --selector <selector>', 'labels of the clusters, such as env=prod (default: all)').argParser(
        selectorText,
      ),
    )
    .addOption(
      choiceOption('--phase <phase>', 'phase of the clusters (default: all); repeatable', PHASES).argParser(
        (value, previous?: readonly string[]) => [...(previous ?? []), oneOf(PHASES)(value)],
      ),
    )
    .option('--no-headers', 'print no column heads');
}

/** Adds the options that say where the manager is, and how to read it. */
function withManager(command: Command): Command {
  return command
    .addOption(
      new Option('--url <address>', 'address of the metrics of a replica; repeat it for each replica')
        .argParser(addressOf)
        .default([DEFAULT_URL], DEFAULT_URL)
        .conflicts('namespace'),
    )
    .addOption(
      new Option('-n, --namespace <name>', 'namespace of the Pods of the manager (default: reads --url)').argParser(
        text,
      ),
    )
    .addOption(
      new Option(
        '--manager <target>',
        'such as deploy/NAME, or a label selector (default: the Pods with a port named metrics)',
      ).argParser(targetText),
    )
    .option('--port <port>', 'container port of the metrics (default: metrics, else 8080)', portOf)
    .addOption(kubeconfigOption())
    .option('--context <name>', 'context of the cluster with the Pods (default: the current one)', text)
    .option(
      '--token-file <file>',
      'file with a bearer token, for managers with restricted access (default: no token)',
      text,
    )
    .addOption(
      new Option(
        '--service-account <name>',
        'request a token of this ServiceAccount of the namespace (default: no token)',
      )
        .argParser(text)
        .conflicts('tokenFile'),
    )
    .addOption(
      new Option('--send-token', 'send the token of the kubeconfig to the Pods, over verified TLS').conflicts([
        'tokenFile',
        'serviceAccount',
      ]),
    )
    .option(
      '--ca-file <file>',
      'file with the CA certificates of the manager, which serves TLS (default: those of Node.js)',
      text,
    )
    .addOption(
      new Option(
        '--ca-secret <name>',
        'Secret of the namespace with these certificates, in its key ca.crt (default: those of Node.js)',
      )
        .argParser(text)
        .conflicts('caFile'),
    )
    .addOption(
      new Option('--insecure-skip-tls-verify', 'accept any certificate of the manager').conflicts([
        'caFile',
        'caSecret',
        'sendToken',
      ]),
    )
    .option('--tls-server-name <name>', 'name in its certificate (default: WORKLOAD.NAMESPACE.svc)', text)
    .option('--timeout <seconds>', 'deadline for each reading', secondsOf, DEFAULTS.timeout);
}

/** Options that need `--namespace`, by the names of their values. */
const IN_CLUSTER = {
  manager: '--manager <target>',
  port: '--port <port>',
  kubeconfig: '--kubeconfig <file>',
  context: '--context <name>',
  serviceAccount: '--service-account <name>',
  sendToken: '--send-token',
  caSecret: '--ca-secret <name>',
} satisfies Partial<Record<keyof ManagerOptions, string>>;

/** Refuses options that have no effect. */
function checkManager(command: Command, options: ManagerOptions): void {
  if (options.namespace === undefined) {
    const names = Object.keys(IN_CLUSTER) as (keyof typeof IN_CLUSTER)[];
    const given = names.find((name) => options[name] !== undefined);
    if (given) command.error(`error: option '${IN_CLUSTER[given]}' needs option '-n, --namespace <name>'`);
    return;
  }
  if (options.sendToken && options.caFile === undefined && options.caSecret === undefined)
    command.error("error: option '--send-token' needs option '--ca-file <file>' or '--ca-secret <name>'");
}

/** The first address replaces the default. */
function addressOf(value: string, previous: readonly string[]): readonly string[] {
  valid(() => statusUrl(value));
  return repeated(value, previous[0] === DEFAULT_URL && previous.length === 1 ? [] : previous);
}

function targetText(value: string): string {
  valid(() => targetOf(value));
  return text(value);
}

function portOf(value: string): string {
  const isNumber = /^\d+$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535;
  if (isNumber || /^(?=.{1,15}$)(?=.*[a-z])[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value)) return value;
  throw new InvalidArgumentError('expected the number or the name of a port');
}

function selectorText(value: string): string {
  valid(() => parseLabelSelector(value));
  return text(value);
}

/** Calls `check`. Its error is one of the argument. */
function valid(check: () => unknown): void {
  try {
    check();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
