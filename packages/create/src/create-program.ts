import { resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import {
  type Answers,
  BUILT_IN,
  type BuiltInName,
  checkGroup,
  checkKindName,
  checkPlural,
  DEFAULTS,
  nameOf,
  pluralOf,
  PROVIDERS,
  type ProviderName,
} from './answers.ts';
import { chosen } from './nearest.ts';
import type { Streams } from './ask.ts';
import { writeProject } from './write-project.ts';

/** The flags of the command line. */
export interface Flags {
  readonly directory?: string;
  readonly provider?: ProviderName;
  readonly kind?: string;
  readonly plural?: string;
  readonly group?: string;
  readonly builtin?: BuiltInName;
  readonly webhooks?: boolean;
  readonly sharding?: boolean;
  readonly yes?: boolean;
}

/** Where the program prints, and whether it may ask. */
export interface Terminal {
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly isInteractive: boolean;
  /** Where the questions are shown and answered. Default: the terminal. */
  readonly streams?: Streams;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Exit codes of the program. */
const EXIT = { success: 0, failure: 1, usage: 2, cancelled: 130 } as const;

const EXAMPLE = '  npm create @mcr my-operator -- --provider none';

/** Runs the program with the arguments after its name. @returns the exit code. */
export async function runCreate(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = commandOf(terminal);
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.success : EXIT.usage;
  }
  const taken = takenByNpm(program, terminal.env);
  if (taken.length > 0) {
    terminal.warn(`create: npm took ${taken.join(' ')} for itself: write "--" before the options, as in\n${EXAMPLE}\n`);
    return EXIT.usage;
  }
  const [directory] = program.args;
  const flags: Flags = { ...program.opts<Flags>(), ...(directory !== undefined && { directory }) };
  try {
    const isAsked = terminal.isInteractive && !flags.yes;
    const answers = answersOf(isAsked ? await (await import('./ask.ts')).ask(flags, terminal.streams) : flags);
    await writeProject(answers);
    terminal.print(nextSteps(answers));
    return EXIT.success;
  } catch (error) {
    if ((error as Error).name === 'CancelledError') return EXIT.cancelled;
    terminal.warn(`create: ${(error as Error).message}\n`);
    return EXIT.failure;
  }
}

/**
 * Returns the options that npm removed from the command line, because `--` is missing before them. npm passes them as settings in the
 * environment. It has a setting `yes` itself.
 */
function takenByNpm(program: Command, env: Terminal['env']): string[] {
  const names = program.options.map((option) => option.name()).filter((name) => name !== 'yes');
  return names.filter((name) => env[`npm_config_${name}`] !== undefined).map((name) => `--${name}`);
}

function commandOf({ print, warn }: Terminal): Command {
  return new Command('npm create @mcr')
    .description(
      'Creates a project: a controller with its tests, image and manifests.\n' +
        'Asks for what the options do not say, if there is a terminal. Each option has a default.',
    )
    .argument('[directory]', `directory, which gives the project its name (default: "${DEFAULTS.directory}")`)
    .addOption(
      choice(
        '--provider <name>',
        `where the clusters come from (default: "${DEFAULTS.provider}")`,
        Object.keys(PROVIDERS),
      ),
    )
    .option('--kind <name>', `kind that the project defines (default: "${DEFAULTS.kind}")`, checked(checkKindName))
    .option('--plural <name>', 'plural of the kind in URLs (default: from the kind)', checked(checkPlural))
    .option('--group <group>', `group of the kind (default: "${DEFAULTS.group}")`, checked(checkGroup))
    .addOption(
      choice('--builtin <kind>', 'reconcile a built-in kind instead (default: a kind of its own)', BUILT_IN).conflicts([
        ...['kind', 'plural', 'group'],
      ]),
    )
    .option('--webhooks', 'add webhooks (default: none)')
    .option('--no-webhooks', 'add no webhooks, and do not ask')
    .option('--sharding', 'replicas share the clusters (default: one replica works, by leader election)')
    .option('-y, --yes', 'use the defaults, and do not ask')
    .exitOverride()
    .configureOutput({
      writeOut: print,
      writeErr: warn,
      outputError: (text, write) => write(text.replace(/^error: /u, 'create: ')),
    });
}

/** An option with a few values. A wrong one is refused with the nearest one. */
function choice(flags: string, description: string, choices: readonly string[]): Option {
  const option = new Option(flags, description).choices(choices);
  return option.argParser(checked((value) => chosen(value, choices)));
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

function answersOf(flags: Flags): Answers {
  const { directory = DEFAULTS.directory, provider = DEFAULTS.provider, builtin } = flags;
  const { kind: name = DEFAULTS.kind, plural = pluralOf(name), group = DEFAULTS.group } = flags;
  return {
    directory,
    name: nameOf(directory),
    provider,
    kind: builtin ?? { name, plural, group },
    hasWebhooks: flags.webhooks ?? false,
    isSharded: flags.sharding ?? false,
  };
}

function nextSteps({ name, directory }: Answers): string {
  const path = /^[\w./@-]+$/u.test(directory) ? directory : `'${directory.replaceAll("'", String.raw`'\''`)}'`;
  const enter = resolve(directory) === process.cwd() ? '' : `cd ${path} && `;
  return `Created ${name}. Next:\n\n  ${enter}npm install\n  npm test\n  npm run dev\n\nnpm run dev shows the fleet page.\n`;
}
