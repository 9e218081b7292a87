import type { Command, Option } from 'commander';
import { similarText } from '@mcr/core/provider';

/** The command of a group that runs if the command line names none. */
const DEFAULT_COMMAND = 'list';

/**
 * Returns the arguments with the names of commands first: options can come before a command, as for kubectl
 * (`mcr fleet -n fleet describe eu-1`). Adds the default command of a group.
 *
 * @throws {CommanderError} if an option is unknown, or has a value that it does not take. It is already printed.
 */
export function commandsFirst(group: Command, args: readonly string[]): readonly string[] {
  if (group.commands.length === 0) {
    checkOptions(group, args);
    return args;
  }
  const at = firstWord(group, args);
  const word = at === undefined ? undefined : args[at];
  if (at === undefined || word === undefined) {
    const command = defaultOf(group);
    return command && !isHelp(args) ? [command.name(), ...commandsFirst(command, args)] : args;
  }
  const rest = args.toSpliced(at, 1);
  const command = commandNamed(group, word);
  return [word, ...(command ? commandsFirst(command, rest) : rest)];
}

/** Refuses unknown options, before commander would ask for those that are missing, and values of options that take none. */
function checkOptions(command: Command, args: readonly string[]): void {
  if (isHelp(args)) return;
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? '';
    if (argument === '--') return;
    if (!/^-./.test(argument)) continue;
    const [flag = ''] = argument.split('=');
    const isShort = !flag.startsWith('--');
    const option = optionNamed(command, isShort ? flag.slice(0, 2) : flag);
    if (!option) command.error(`error: unknown option '${argument}'${suggestionFor(command, flag)}`);
    else if (option.required) at += argument === option.long || argument === option.short ? 1 : 0;
    else if (flag !== argument) command.error(`error: option '${option.flags}' takes no value`);
  }
}

function suggestionFor(command: Command, flag: string): string {
  const names = command
    .createHelp()
    .visibleOptions(command)
    .map(({ long = '' }) => long.slice(2));
  const similar = flag.startsWith('--') ? similarText(flag.slice(2), names) : undefined;
  return similar === undefined ? '' : `\n(Did you mean --${similar}?)`;
}

function isHelp(args: readonly string[]): boolean {
  return args.some((argument) => argument === '--help' || argument === '-h');
}

/** Returns the index of the first argument that is neither an option nor its value. */
function firstWord(group: Command, args: readonly string[]): number | undefined {
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? '';
    if (argument === '--') return undefined;
    if (!argument.startsWith('-')) return at;
    if (optionNamed(group, argument)?.required) at++;
  }
  return undefined;
}

/** Returns the command of a group, by its name or its alias. */
export function commandNamed(group: Command, name: string): Command | undefined {
  return group.commands.find((command) => command.name() === name || command.aliases().includes(name));
}

/** Returns the command of a group that runs by default. */
export function defaultOf(group: Command): Command | undefined {
  return commandNamed(group, DEFAULT_COMMAND);
}

/** Returns the option of a command, or of the commands in a group: the same flag takes a value in all of them. */
export function optionNamed(command: Command, flag: string): Option | undefined {
  const own = command.options.find(({ long, short }) => long === flag || short === flag);
  if (own) return own;
  for (const child of command.commands) {
    const found = optionNamed(child, flag);
    if (found) return found;
  }
  return undefined;
}
