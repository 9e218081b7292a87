/** Values of flags, by name. A flag that was given several times has several values. */
export type Flags = ReadonlyMap<string, readonly string[]>;

/** Names of the flags that a program has. */
export interface FlagNames {
  /** Flags with a value. */
  readonly valued: readonly string[];
  /** Flags that are true without a value. */
  readonly switches: readonly string[];
}

/** The arguments of a program are wrong. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/**
 * Parses the arguments of a program as the pflag package does: `--name=value`, `--name value`, and `--name` for a
 * switch.
 *
 * @throws {FlagError} if a flag is unknown or lacks its value.
 */
export function parseFlags(args: readonly string[], { valued, switches }: FlagNames): Flags {
  const flags = new Map<string, string[]>();
  const rest = [...args];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const { written = '', value: attached } =
      /^--?(?<written>[a-z0-9_-]+)(?:=(?<value>.*))?$/s.exec(argument)?.groups ?? {};
    if (written === '') throw new FlagError(`unknown argument ${JSON.stringify(argument)}: pass flags only`);
    // Words can be separated by underscores, as in Kubernetes' own programs.
    const name = written.replaceAll('_', '-');
    if (!valued.includes(name) && !switches.includes(name)) throw new FlagError(`unknown flag: --${name}`);
    const value = attached ?? (switches.includes(name) ? 'true' : rest.shift());
    if (value === undefined) throw new FlagError(`flag needs an argument: --${name}`);
    flags.set(name, [...(flags.get(name) ?? []), value]);
  }
  return flags;
}

/** Returns the value that was given last. */
export function lastOf(flags: Flags, name: string): string | undefined {
  return flags.get(name)?.at(-1);
}

/** Returns the values of a flag that takes a list, separated by commas. */
export function listOf(flags: Flags, name: string): string[] {
  return (flags.get(name) ?? []).flatMap((value) => value.split(',')).filter((value) => value !== '');
}

/** Flags of one kind, for the help of a program. */
export interface FlagSection {
  readonly title: string;
  readonly names: readonly string[];
  /** Whether each flag has a line of its own: envtest of controller-runtime looks for flags at the start of a line. */
  readonly isLong?: boolean;
}

/** Width of the help, in characters. */
const WIDTH = 100;

/** Returns the help of a program. */
export function helpOf(usage: string, about: string, sections: readonly FlagSection[]): string {
  const texts = sections.map(
    ({ title, names, isLong = false }) =>
      `${title}:\n${lines(
        names.map((name) => `--${name}`),
        isLong ? 0 : WIDTH,
      )}`,
  );
  return [about, `Usage:\n  ${usage} [flags]`, ...texts].join('\n\n') + '\n';
}

/** Returns indented lines of words in alphabetical order, with one word or as many as fit into the width. */
function lines(words: readonly string[], width: number): string {
  const all: string[] = [];
  for (const word of words.toSorted()) {
    const line = all.at(-1);
    if (line !== undefined && line.length + word.length < width) all[all.length - 1] = `${line} ${word}`;
    else all.push(`  ${word}`);
  }
  return all.join('\n');
}
