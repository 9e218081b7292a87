import type { Argument, Command, Option } from 'commander';
import { commandNamed, defaultOf, optionNamed } from '../command/argument-order.ts';

/** A word that completes a command line. */
export interface Candidate {
  readonly value: string;
  /** One line. */
  readonly description?: string;
}

/** The words that complete a command line. */
export interface Completions {
  readonly candidates: readonly Candidate[];
  /** Whether names of files complete it, too. */
  readonly files: boolean;
}

/** Names that are not in the program. The options are those of the command line. */
export interface NameSources {
  /** Returns the contexts of a kubeconfig. @param kubeconfig Default: `$KUBECONFIG`, else `~/.kube/config`. */
  readonly contexts: (kubeconfig: string | undefined) => readonly string[];
  /** Returns the clusters of a manager. */
  readonly clusters: (options: object) => Promise<readonly string[]>;
}

/** Maximum number of candidates. A shell would show more of them on several screens. */
const MAX_CANDIDATES = 1000;
const NOTHING: Completions = { candidates: [], files: false };
/** Placeholders of values that are files. */
const FILES: ReadonlySet<string> = new Set(['file', 'path', 'dir']);

/** The end of a command line: the last command, and what the next word belongs to. */
interface Position {
  readonly command: Command;
  /** The option whose value is next. */
  readonly option: Option | undefined;
  /** The words that are not names of commands. */
  readonly args: readonly string[];
  /** Number of arguments of the command so far. */
  readonly given: number;
  /** Whether options can follow. */
  readonly takesOptions: boolean;
}

/**
 * Returns the words that complete a command line. For `--option=value`, they are values.
 *
 * @param words the words after the name of the program. The last one is incomplete, and may be empty.
 */
export async function completionsOf(
  root: Command,
  words: readonly string[],
  sources: NameSources,
): Promise<Completions> {
  const last = words.at(-1) ?? '';
  const position = positionAfter(root, words.slice(0, -1));
  const { command, option, takesOptions } = position;
  if (option) return beginningWith(valuesOf(option, position, sources), last);
  if (takesOptions && last.startsWith('-')) {
    const [flag = '', ...value] = last.split('=');
    const assigned = value.length > 0 ? optionWithValue(command, flag) : undefined;
    if (assigned) return beginningWith(valuesOf(assigned, position, sources), value.join('='));
    return beginningWith({ candidates: optionsOf(command), files: false }, last);
  }
  if (command.commands.length > 0) return beginningWith({ candidates: commandsOf(command), files: false }, last);
  return beginningWith(await argumentValues(position, sources), last);
}

function positionAfter(root: Command, words: readonly string[]): Position {
  let position: Position = { command: root, option: undefined, args: [], given: 0, takesOptions: true };
  for (const word of words) {
    const { command, option, given, takesOptions } = position;
    const args = [...position.args, word];
    const found = takesOptions ? commandNamed(command, word) : undefined;
    if (option) position = { ...position, args, option: undefined };
    else if (takesOptions && word === '--') position = { ...position, args, takesOptions: false };
    else if (takesOptions && word.startsWith('-'))
      position = { ...position, args, option: optionWithValue(command, word) };
    else if (found) position = { ...position, command: found };
    else position = { ...position, args, given: given + 1 };
  }
  return position;
}

/** Returns the option that takes the next word as its value. */
function optionWithValue(command: Command, flag: string): Option | undefined {
  const found = optionNamed(command, flag);
  return found?.required ? found : undefined;
}

function valuesOf(option: Option, position: Position, { contexts }: NameSources): Completions {
  if (option.argChoices) return { candidates: option.argChoices.map((value) => ({ value })), files: false };
  if (option.long?.endsWith('context')) {
    const file = option.long.replace(/context$/, 'kubeconfig');
    return { candidates: contexts(givenValue(position.args, file)).map((value) => ({ value })), files: false };
  }
  const [, placeholder = ''] = /<(\w+)>/.exec(option.flags) ?? [];
  return { candidates: [], files: FILES.has(placeholder) };
}

/** Returns the value of an option on the command line. */
function givenValue(args: readonly string[], flag: string): string | undefined {
  const assigned = args.findLast((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const at = args.lastIndexOf(flag);
  return assigned ?? (at < 0 ? undefined : args[at + 1]);
}

async function argumentValues({ command, given, args }: Position, { clusters }: NameSources): Promise<Completions> {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument: Argument | undefined = registeredArguments[given] ?? (last?.variadic ? last : undefined);
  if (argument?.argChoices) return { candidates: argument.argChoices.map((value) => ({ value })), files: false };
  if (argument?.name() !== 'cluster') return NOTHING;
  const { operands } = command.parseOptions([...args]);
  const names = await clusters(command.opts());
  // A cluster is named once.
  return { candidates: names.filter((name) => !operands.includes(name)).map((value) => ({ value })), files: false };
}

/** Returns the options of a command, or those of the default command of a group. */
function optionsOf(command: Command): readonly Candidate[] {
  const named = defaultOf(command) ?? command;
  const options = named.createHelp().visibleOptions(named);
  return options.map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));
}

function commandsOf(command: Command): readonly Candidate[] {
  const commands = command.createHelp().visibleCommands(command);
  return commands.map((child) => ({ value: child.name(), description: child.summary() || child.description() }));
}

function beginningWith({ candidates, files }: Completions, start: string): Completions {
  return { candidates: candidates.filter(({ value }) => value.startsWith(start)).slice(0, MAX_CANDIDATES), files };
}
