import type { Flag, FlagValues } from './flags.ts';
import { flagsHelp, parseFlags, UsageError } from './flags.ts';
import { nearest } from './nearest.ts';

/** Where a command prints, and when it stops. */
export interface Output {
  /** Prints results. */
  readonly print: (text: string) => void;
  /** Prints warnings and failures. */
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Runs a command. @returns whether it succeeded. */
export type Run = (output: Output) => Promise<boolean>;

interface Command {
  /** Words of the command, such as `webhooks remove`. */
  readonly name: string;
  readonly about: string;
  /** Lines of the help before the flags. */
  readonly usage: string;
  readonly flags: readonly Flag[];
  readonly exitCodes: string;
  /** Loads the command, so that one command does not load the modules of another. */
  load(): Promise<(values: FlagValues, output: Output) => Promise<boolean>>;
  /** @throws {UsageError} if flags are missing, or exclude each other. */
  check?(values: FlagValues): void;
}

const KUBECONFIG: Flag = {
  name: '--kubeconfig',
  value: 'FILE',
  about: 'kubeconfig file (default: $KUBECONFIG, else ~/.kube/config)',
};

const TYPES: Command = {
  name: 'types',
  about: 'write TypeScript modules from CustomResourceDefinitions',
  usage: `Writes a TypeScript module for each kind and version, with a zod schema that equals the definition.

Usage:
  mcr types --crd PATH ... --out DIR [--check]
  mcr types --context NAME --out DIR [--only NAME ...]
`,
  flags: [
    {
      ...{ name: '--crd', value: 'PATH', isRepeatable: true },
      about: 'file or directory with definitions in YAML or JSON; - reads standard input',
    },
    { name: '--context', value: 'NAME', about: 'read the definitions of this cluster, a context of the kubeconfig' },
    KUBECONFIG,
    {
      ...{ name: '--only', value: 'NAME', isRepeatable: true },
      about: 'name or group of definitions to write, such as cert-manager.io (default: all)',
    },
    { name: '--out', value: 'DIR', about: 'directory for the modules: <group>/<version>/<kind>.ts' },
    { name: '--check', about: 'write nothing, and fail if a module is out of date' },
    { name: '--force', about: 'overwrite files that the command did not write' },
  ],
  exitCodes: 'Exit codes: 0 for success, 1 for an error or modules that are out of date, 2 for wrong arguments.\n',
  check: (values) => {
    if (!values.has('--crd') && !values.has('--context')) {
      throw new UsageError('types: expected --crd PATH or --context NAME');
    }
    if (!values.has('--out')) throw new UsageError('types: expected --out DIR');
    if (values.has('--kubeconfig') && !values.has('--context'))
      throw new UsageError('--kubeconfig: needs --context NAME');
  },
  load: async () => (await import('../types/run-types.ts')).runTypes,
};

const REMOVE: Command = {
  name: 'webhooks remove',
  about: 'remove webhook configurations of a manager, in an emergency',
  usage: `Deletes the configurations that installWebhooks of @mcr/webhook wrote. A manager that still runs writes them again: stop it first.

Usage:
  mcr webhooks remove --name NAME [--context NAME ... | --all-contexts] [--dry-run]
  mcr webhooks remove --all [--context NAME ... | --all-contexts] [--dry-run]
`,
  flags: [
    { name: '--name', value: 'NAME', about: 'name of the configurations: the option name of installWebhooks' },
    { name: '--all', about: 'all configurations that installWebhooks wrote, by their label' },
    {
      ...{ name: '--context', value: 'NAME', isRepeatable: true },
      about: 'context of the kubeconfig (default: the current one)',
    },
    { name: '--all-contexts', about: 'all contexts of the kubeconfig' },
    KUBECONFIG,
    { name: '--timeout', value: 'SECONDS', about: 'deadline for each cluster (default: 30)' },
    { name: '--dry-run', about: 'print what would be removed' },
  ],
  exitCodes: 'Exit codes: 0 for success, 1 if a cluster failed, 2 for wrong arguments.\n',
  check: (values) => {
    if (values.has('--name') === values.has('--all'))
      throw new UsageError('webhooks remove: expected --name NAME, or --all');
    if (values.has('--context') && values.has('--all-contexts')) {
      throw new UsageError('--all-contexts: excludes --context: remove one');
    }
  },
  load: async () => (await import('../webhooks/run-remove.ts')).runRemove,
};

const COMMANDS: readonly Command[] = [TYPES, REMOVE];

/**
 * Returns the command that the arguments name.
 *
 * @throws {UsageError} that names a wrong argument, and the nearest right one.
 */
export function commandOf(argv: readonly string[]): Run {
  const words = argv.slice(0, firstFlag(argv));
  const isHelp = words.length === 0 ? argv.every(isHelpFlag) : words[0] === 'help';
  if (isHelp) return printed(generalHelp());
  const command = COMMANDS.find(({ name }) => isBegun(words, name.split(' ')));
  if (!command) {
    const group = COMMANDS.filter(({ name }) => isBegun(name.split(' '), words));
    if (group.length > 0 && argv.slice(words.length).some(isHelpFlag)) return printed(generalHelp(group));
    throw unknownCommand(words.length === 0 ? (argv[0] ?? '') : words.join(' '), group);
  }
  const args = argv.slice(command.name.split(' ').length);
  if (args.some(isHelpFlag)) return printed(`${command.usage}\n${flagsHelp(command.flags)}\n${command.exitCodes}`);
  const values = parseFlags(command.name, command.flags, args);
  command.check?.(values);
  return async (output) => (await command.load())(values, output);
}

function firstFlag(argv: readonly string[]): number {
  const index = argv.findIndex((argument) => argument.startsWith('-'));
  return index < 0 ? argv.length : index;
}

function isHelpFlag(argument: string): boolean {
  return argument === '--help' || argument === '-h';
}

/** Reports whether `words` begins with `start`. */
function isBegun(words: readonly string[], start: readonly string[]): boolean {
  return start.length <= words.length && start.every((word, index) => words[index] === word);
}

function unknownCommand(text: string, group: readonly Command[]): UsageError {
  const names = (group.length > 0 ? group : COMMANDS).map(({ name }) => name);
  if (group.length > 0) return new UsageError(`${text}: incomplete command: use ${names.join(', ')}`);
  return new UsageError(`${text}: unknown command: use ${nearest(text, names) ?? names.join(', ')}`);
}

function printed(text: string): Run {
  return async ({ print }) => {
    print(text);
    return true;
  };
}

function generalHelp(commands: readonly Command[] = COMMANDS): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, about }) => `  mcr ${name.padEnd(width)}  ${about}\n`);
  return `Tools for Kubernetes kinds and controllers of many clusters.\n\nUsage:\n${lines.join('')}  mcr COMMAND --help\n`;
}
