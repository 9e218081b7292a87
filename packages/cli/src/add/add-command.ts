import {
  ADDED_PROVIDERS,
  type AddRequest,
  addToProject,
  checkGroup,
  checkKindName,
  checkPlural,
  chosen,
} from '@mcr/create/add';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import type { Output } from '../command/output.ts';
import { configOption } from '../project/config-option.ts';

interface AddFlags {
  readonly config: string;
  readonly dryRun?: boolean;
  readonly plural?: string;
  readonly group?: string;
}

/** Adds `mcr add kind`, `mcr add webhook` and `mcr add provider`. @param finish receives whether the part was added. */
export function addAdd(mcr: Command, { print }: Output, finish: (isSuccessful: boolean) => void): void {
  const add = mcr
    .command('add')
    .summary('add a kind, a webhook or a provider to a project')
    .description(
      'Adds parts to a project that npm create @mcr created: new files, and lines in the files that list them.\n' +
        'If a file is not as expected, nothing is changed, and the lines to write by hand are printed.',
    );
  const part = (name: string, description: string): Command =>
    add
      .command(name)
      .description(description)
      .addOption(configOption())
      .option('--dry-run', 'print the changes, and write nothing (default: off)');
  const run = async (request: AddRequest, { config, dryRun = false }: AddFlags): Promise<void> => {
    await addToProject(request, { config, dryRun, print });
    finish(true);
  };
  part('kind', 'add a kind with its controller and tests; ConfigMap, Secret and ServiceAccount are the built-in kinds')
    .argument('<name>', 'name of the kind, such as Shop', checked(checkKindName))
    .option('--plural <name>', 'plural of the kind in URLs (default: from the name)', checked(checkPlural))
    .option('--group <group>', 'group of the kind (default: that of the first kind)', checked(checkGroup))
    .action((name: string, flags: AddFlags) => run({ part: 'kind', name, ...flags }, flags));
  part('webhook', 'add a validating webhook of a kind')
    .argument('<kind>', 'kind that has a controller in the project', checked(checkKindName))
    .action((kind: string, flags: AddFlags) => run({ part: 'webhook', kind }, flags));
  part('provider', 'add a provider; several ones are combined')
    .addArgument(
      new Argument('<name>', 'where the clusters come from')
        .choices(ADDED_PROVIDERS)
        .argParser(checked((value) => chosen(value, ADDED_PROVIDERS))),
    )
    .action((name: (typeof ADDED_PROVIDERS)[number], flags: AddFlags) => run({ part: 'provider', name }, flags));
}

/** Shows what a check says as commander shows other wrong arguments. */
function checked(check: (value: string) => string): (value: string) => string {
  return (value) => {
    try {
      return check(value);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}
