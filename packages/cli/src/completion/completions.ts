import type { Argument, Command, Option } from 'commander';

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

const NOTHING: Completions = { candidates: [], files: false };
/** Placeholders of values that are files. */
const FILES: ReadonlySet<string> = new Set(['file', 'path', 'dir']);

/** The end of a command line: the last command, and what the next word belongs to. */
interface Position {
  readonly command: Command;
  /** The option whose value is next. */
  readonly option: Option | undefined;
  /** Number of arguments of the command so far. */
  readonly given: number;
  /** Whether options can follow. */
  readonly takesOptions: boolean;
}

/**
 * Returns the words that complete a command line.
 *
 * @param words the words after the name of the program. The last one is incomplete, and may be empty.
 * @param contexts returns the contexts of the kubeconfig.
 */
export function completionsOf(root: Command, words: readonly string[], contexts: () => readonly string[]): Completions {
  const last = words.at(-1) ?? '';
  const { command, option, given, takesOptions } = positionAfter(root, words.slice(0, -1));
  if (option) return beginningWith(valuesOf(option, contexts), last);
  if (takesOptions && last.startsWith('-'))
    return beginningWith({ candidates: optionsOf(command), files: false }, last);
  if (command.commands.length > 0) return beginningWith({ candidates: commandsOf(command), files: false }, last);
  return beginningWith(argumentValues(command, given), last);
}

function positionAfter(root: Command, words: readonly string[]): Position {
  let position: Position = { command: root, option: undefined, given: 0, takesOptions: true };
  for (const word of words) {
    const { command, option, given, takesOptions } = position;
    const found = command.commands.find((child) => child.name() === word);
    if (option) position = { ...position, option: undefined };
    else if (takesOptions && word === '--') position = { ...position, takesOptions: false };
    else if (takesOptions && word.startsWith('-')) position = { ...position, option: optionWithValue(command, word) };
    else if (found && given === 0) position = { ...position, command: found };
    else position = { ...position, given: given + 1 };
  }
  return position;
}

/** Returns the option that takes the next word as its value. */
function optionWithValue(command: Command, flag: string): Option | undefined {
  const found = command.options.find(({ long, short }) => long === flag || short === flag);
  return found?.required ? found : undefined;
}

function valuesOf(option: Option, contexts: () => readonly string[]): Completions {
  if (option.argChoices) return { candidates: option.argChoices.map((value) => ({ value })), files: false };
  if (option.long?.endsWith('context')) return { candidates: contexts().map((value) => ({ value })), files: false };
  const [, placeholder = ''] = /<(\w+)>/.exec(option.flags) ?? [];
  return { candidates: [], files: FILES.has(placeholder) };
}

function argumentValues({ registeredArguments }: Command, given: number): Completions {
  const last = registeredArguments.at(-1);
  const argument: Argument | undefined = registeredArguments[given] ?? (last?.variadic ? last : undefined);
  return argument?.argChoices ? { candidates: argument.argChoices.map((value) => ({ value })), files: false } : NOTHING;
}

function optionsOf(command: Command): readonly Candidate[] {
  const options = command.createHelp().visibleOptions(command);
  return options.map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));
}

function commandsOf(command: Command): readonly Candidate[] {
  const commands = command.createHelp().visibleCommands(command);
  return commands.map((child) => ({ value: child.name(), description: child.summary() || child.description() }));
}

function beginningWith({ candidates, files }: Completions, start: string): Completions {
  return { candidates: candidates.filter(({ value }) => value.startsWith(start)), files };
}
