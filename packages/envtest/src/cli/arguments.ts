import * as z from 'zod';
import { nearest } from './nearest.ts';

/** The parsed arguments of the program. */
export type Arguments =
  | { readonly command: 'help'; readonly about?: 'up' | 'assets' }
  | UpArguments
  | { readonly command: 'assets'; readonly directory: string };

export interface UpArguments {
  readonly command: 'up';
  readonly members: number;
  /** Files and directories with CustomResourceDefinitions. */
  readonly crds: readonly string[];
  /** Files and directories with objects to apply to each cluster. */
  readonly load: readonly string[];
  /** Port of the hub; the members have the next ones. Default: free ports. */
  readonly port?: number;
  /** Directory of the kubeconfig files. Default: a temporary one. */
  readonly directory?: string;
  readonly dataDir?: string;
  readonly json: boolean;
}

/** The arguments are wrong. The message names the argument and says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Maximum number of members that one process serves well. */
const MAX_MEMBERS = 1000;

const COMMANDS = ['up', 'assets'] as const;

/** Flags of `up`: whether they take a value. */
const UP_FLAGS: Readonly<Record<string, boolean>> = {
  '--members': true,
  '--crds': true,
  '--load': true,
  '--port': true,
  '--dir': true,
  '--data-dir': true,
  '--json': false,
  '--help': false,
};

/** @throws {UsageError} that names a wrong argument, and the nearest right one. */
export function parseArguments(argv: readonly string[]): Arguments {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return { command: 'help' };
  const command = COMMANDS.find((each) => each === name);
  if (!command) throw new UsageError(`${name}: unknown command${suggestion(name, COMMANDS)}`);
  if (rest.includes('--help') || rest.includes('-h')) return { command: 'help', about: command };
  return command === 'up' ? parseUp(rest) : parseAssets(rest);
}

function parseAssets(args: readonly string[]): Arguments {
  const flag = args.find((argument) => argument.startsWith('-'));
  if (flag !== undefined) throw new UsageError(`${flag}: unknown flag${suggestion(flag, ['--help'])}`);
  const [directory, extra] = args;
  if (directory === undefined || directory === '') {
    throw new UsageError('assets: expected the directory to write to: mcr-envtest assets DIR');
  }
  if (extra !== undefined) throw new UsageError(`${extra}: unexpected argument: assets takes one directory`);
  return { command: 'assets', directory };
}

function parseUp(args: readonly string[]): UpArguments {
  const values = valuesOf(args);
  const last = (flag: string): string | undefined => values.get(flag)?.at(-1);
  const port = last('--port');
  const directory = last('--dir');
  const dataDir = last('--data-dir');
  const members = numberOf('--members', last('--members') ?? '3', { min: 0, max: MAX_MEMBERS });
  return {
    command: 'up',
    members,
    crds: values.get('--crds') ?? [],
    load: values.get('--load') ?? [],
    json: values.has('--json'),
    ...(port !== undefined && { port: numberOf('--port', port, { min: 1, max: 65_535 - members }) }),
    ...(directory !== undefined && { directory }),
    ...(dataDir !== undefined && { dataDir }),
  };
}

function valuesOf(args: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  const rest = [...args];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const end = argument.startsWith('--') ? argument.indexOf('=') : -1;
    const flag = end < 0 ? argument : argument.slice(0, end);
    const takesValue = Object.hasOwn(UP_FLAGS, flag) ? UP_FLAGS[flag] : undefined;
    if (takesValue === undefined) {
      if (!flag.startsWith('-')) throw new UsageError(`${flag}: unexpected argument: up takes flags only`);
      throw new UsageError(`${flag}: unknown flag${suggestion(flag, Object.keys(UP_FLAGS))}`);
    }
    if (!takesValue && end >= 0) throw new UsageError(`${flag}: takes no value`);
    const value = takesValue ? (end < 0 ? rest.shift() : argument.slice(end + 1)) : '';
    if (value === undefined || (takesValue && (value === '' || (end < 0 && value.startsWith('--'))))) {
      throw new UsageError(`${flag}: expected a value`);
    }
    values.set(flag, [...(values.get(flag) ?? []), value]);
  }
  return values;
}

function numberOf(flag: string, text: string, { min, max }: { readonly min: number; readonly max: number }): number {
  const { success, data } = z.coerce.number().int().min(min).max(max).safeParse(text);
  if (success && /^\d+$/.test(text)) return data;
  throw new UsageError(`${flag}: expected a whole number from ${min} to ${max}, found ${JSON.stringify(text)}`);
}

function suggestion(text: string, known: readonly string[]): string {
  const near = nearest(text, known);
  return near === undefined ? `: use ${known.join(', ')}` : `: use ${near}`;
}
