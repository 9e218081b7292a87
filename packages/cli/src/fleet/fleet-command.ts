import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseLabelSelector } from '@mcr/core/provider';
import { repeated, secondsOf, text } from '../command/option-values.ts';
import type { Output } from '../command/output.ts';
import { statusUrl } from './fetch-status.ts';
import type { FleetOptions } from './read-fleet.ts';
import type { ListOptions } from './run-fleet.ts';
import type { WatchOptions } from './watch-fleet.ts';

const DEFAULT_URL = 'http://localhost:8080';
/** In seconds. */
const DEFAULTS = { timeout: 10, interval: 2 };

/** Adds `mcr fleet`. @param finish receives whether a command succeeded. */
export function addFleet(mcr: Command, output: Output, finish: (isSuccessful: boolean) => void): void {
  const fleet = mcr
    .command('fleet')
    .summary('show the clusters of a manager')
    .description(
      'Shows the clusters of a manager, by the fleet status that it serves beside its metrics.\n' +
        'The local cluster is (local). Exits with 1 if a replica does not answer, or a cluster is not found.',
    );
  withAccess(fleet.command('list [name...]', { isDefault: true }))
    .summary('print a line for each cluster')
    .addOption(selectorOption())
    .addOption(new Option('-o, --output <format>', 'instead of a table').choices(['wide', 'json', 'yaml']))
    .option('--no-headers', 'print no column heads')
    .action(async (names: readonly string[], options: ListOptions) => {
      const { runList } = await import('./run-fleet.ts');
      finish(await runList(names, options, output));
    });
  withAccess(fleet.command('describe <name>'))
    .summary('print everything about one cluster, with its history')
    .action(async (name: string, options: FleetOptions) => {
      const { runDescribe } = await import('./run-fleet.ts');
      finish(await runDescribe(name, options, output));
    });
  withAccess(fleet.command('watch [name...]'))
    .summary('print clusters when they change, until Ctrl-C')
    .addOption(selectorOption())
    .option('--interval <seconds>', 'time between two requests', secondsOf, DEFAULTS.interval)
    .action(async (names: readonly string[], options: WatchOptions) => {
      const { runWatch } = await import('./watch-fleet.ts');
      finish(await runWatch(names, options, output));
    });
}

function withAccess(command: Command): Command {
  return command
    .addOption(
      new Option('--url <address>', 'address of the metrics of a replica; repeat it for each replica')
        .argParser(addressOf)
        .default([DEFAULT_URL], DEFAULT_URL),
    )
    .option('--token-file <file>', 'file with a bearer token, for managers with restricted access', text)
    .option('--ca-file <file>', 'file with the CA certificates of the managers', text)
    .option('--timeout <seconds>', 'deadline for each replica', secondsOf, DEFAULTS.timeout);
}

/** The first address replaces the default. */
function addressOf(value: string, previous: readonly string[]): readonly string[] {
  try {
    statusUrl(value);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  return repeated(value, previous[0] === DEFAULT_URL && previous.length === 1 ? [] : previous);
}

function selectorOption(): Option {
  return new Option('-l, --selector <selector>', 'labels of the clusters, such as env=prod').argParser((value) => {
    try {
      parseLabelSelector(value);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
    return text(value);
  });
}
