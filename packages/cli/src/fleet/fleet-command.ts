import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseLabelSelector } from '@mcr/core/provider';
import { kubeconfigOption, repeated, secondsOf, text } from '../command/option-values.ts';
import type { Output } from '../command/output.ts';
import { addMembers } from './members/members-command.ts';
import { statusUrl } from './manager/fetch-status.ts';
import type { ManagerOptions } from './manager/manager-options.ts';
import { targetOf } from './manager/pods.ts';
import type { DescribeOptions, ListOptions } from './run-fleet.ts';
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
      'Shows the clusters of a manager, by the fleet status that it serves beside its metrics. Adds clusters to the hub and\n' +
        'removes them. The local cluster is (local). Exits with 1 if a replica does not answer, or a cluster is not found.',
    );
  const list = withManager(fleet.command('list [name...]', { isDefault: true }))
    .summary('print a line for each cluster')
    .addOption(selectorOption())
    .addOption(new Option('-o, --output <format>', 'instead of a table').choices(['wide', 'json', 'yaml']))
    .option('--no-headers', 'print no column heads');
  list.action(async (names: readonly string[], options: ListOptions) => {
    checkManager(list, options);
    const { runList } = await import('./run-fleet.ts');
    finish(await runList(names, options, output));
  });
  const describe = withManager(fleet.command('describe <name>'))
    .summary('print everything about one cluster, with its history')
    .addOption(new Option('-o, --output <format>', 'instead of a text').choices(['json', 'yaml']));
  describe.action(async (name: string, options: DescribeOptions) => {
    checkManager(describe, options);
    const { runDescribe } = await import('./run-fleet.ts');
    finish(await runDescribe(name, options, output));
  });
  const watch = withManager(fleet.command('watch [name...]'))
    .summary('print clusters when they change, until Ctrl-C')
    .addOption(selectorOption())
    .option('--interval <seconds>', 'time between two requests', secondsOf, DEFAULTS.interval);
  watch.action(async (names: readonly string[], options: WatchOptions) => {
    checkManager(watch, options);
    const { runWatch } = await import('./watch-fleet.ts');
    finish(await runWatch(names, options, output));
  });
  addMembers(fleet, output, finish);
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
    .addOption(new Option('-n, --namespace <name>', 'namespace of the Pods, instead of --url').argParser(text))
    .addOption(
      new Option(
        '--manager <target>',
        'such as deploy/NAME, or a label selector (default: the Pods with a port named metrics)',
      ).argParser(targetText),
    )
    .option('--port <port>', 'container port of the metrics (default: metrics, else 8080)', portOf)
    .addOption(kubeconfigOption())
    .option('--context <name>', 'context of the cluster with the Pods (default: the current one)', text)
    .option('--token-file <file>', 'file with a bearer token, for managers with restricted access', text)
    .addOption(
      new Option('--service-account <name>', 'request a token of this ServiceAccount of the namespace')
        .argParser(text)
        .conflicts('tokenFile'),
    )
    .addOption(
      new Option('--send-token', 'send the token of the kubeconfig to the Pods, over verified TLS').conflicts([
        'tokenFile',
        'serviceAccount',
      ]),
    )
    .option('--ca-file <file>', 'file with the CA certificates of the manager, which serves TLS', text)
    .addOption(
      new Option('--ca-secret <name>', 'Secret of the namespace with these certificates, in its key ca.crt')
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

function selectorOption(): Option {
  return new Option('-l, --selector <selector>', 'labels of the clusters, such as env=prod').argParser((value) => {
    valid(() => parseLabelSelector(value));
    return text(value);
  });
}

/** Calls `check`. Its error is one of the argument. */
function valid(check: () => unknown): void {
  try {
    check();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
