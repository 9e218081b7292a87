import { nearest } from './nearest.ts';

/** A flag of a command. */
export interface Flag {
  /** Such as `--out`. */
  readonly name: string;
  /** Placeholder of the value in the help, such as `DIR`. Default: the flag takes no value. */
  readonly value?: string;
  /** Whether the flag can be given more than once. Default: false. */
  readonly isRepeatable?: boolean;
  /** Description in the help, with the default in parentheses. */
  readonly about: string;
}

/** The arguments are wrong. The message names the argument and says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Values of flags by name; an empty text for a flag without a value. */
export type FlagValues = ReadonlyMap<string, readonly string[]>;

/**
 * Parses `--flag value`, `--flag=value` and `--flag`.
 *
 * @throws {UsageError} that names a wrong flag, and the nearest right one.
 */
export function parseFlags(command: string, flags: readonly Flag[], args: readonly string[]): FlagValues {
  const values = new Map<string, readonly string[]>();
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    const end = argument.startsWith('--') ? argument.indexOf('=') : -1;
    const name = end < 0 ? argument : argument.slice(0, end);
    const flag = flags.find((each) => each.name === name);
    if (!flag) throw unknownArgument(command, name, flags);
    const isInline = end >= 0;
    if (flag.value === undefined && isInline) throw new UsageError(`${name}: takes no value`);
    const value = flag.value === undefined ? '' : isInline ? argument.slice(end + 1) : args[index + 1];
    if (flag.value !== undefined) {
      if (value === undefined || value === '' || (!isInline && value.startsWith('--'))) {
        throw new UsageError(`${name}: expected a value: ${name} ${flag.value}`);
      }
      if (!isInline) index += 1;
    }
    const previous = values.get(name);
    if (previous && flag.isRepeatable !== true) throw new UsageError(`${name}: is given twice: remove one`);
    values.set(name, [...(previous ?? []), value ?? '']);
  }
  return values;
}

function unknownArgument(command: string, name: string, flags: readonly Flag[]): UsageError {
  if (!name.startsWith('-')) return new UsageError(`${name}: unexpected argument: ${command} takes flags only`);
  const names = [...flags.map((flag) => flag.name), '--help'];
  return new UsageError(`${name}: unknown flag: use ${nearest(name, names) ?? names.join(', ')}`);
}

/** Returns the lines of the help about flags. */
export function flagsHelp(flags: readonly Flag[]): string {
  const rows = [...flags, { name: '--help', about: 'print this text' }].map((flag: Flag) => ({
    usage: flag.value === undefined ? flag.name : `${flag.name} ${flag.value}`,
    about: flag.isRepeatable ? `${flag.about}; repeatable` : flag.about,
  }));
  const width = Math.max(...rows.map(({ usage }) => usage.length));
  return rows.map(({ usage, about }) => `  ${usage.padEnd(width)}  ${about}\n`).join('');
}
