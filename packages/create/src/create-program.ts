import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import {
  type Answers,
  BUILT_IN,
  type BuiltInName,
  checkGroup,
  checkKindName,
  DEFAULTS,
  nameOf,
  pluralOf,
  PROVIDERS,
  type ProviderName,
} from './answers.ts';
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
  readonly yes?: boolean;
}

/** Where the program prints, and whether it may ask. */
export interface Terminal {
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly isInteractive: boolean;
}

/** Exit codes of the program. */
const EXIT = { success: 0, failure: 1, usage: 2, cancelled: 130 } as const;

/** Runs the program with the arguments after its name. @returns the exit code. */
export async function runCreate(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = commandOf(terminal);
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.success : EXIT.usage;
  }
  const [directory] = program.args;
  const flags: Flags = { ...program.opts<Flags>(), ...(directory !== undefined && { directory }) };
  try {
    const isAsked = terminal.isInteractive && !flags.yes;
    const answers = answersOf(isAsked ? await (await import('./ask.ts')).ask(flags) : flags);
    await writeProject(answers);
    terminal.print(nextSteps(answers));
    return EXIT.success;
  } catch (error) {
    if ((error as Error).name === 'CancelledError') return EXIT.cancelled;
    terminal.warn(`create: ${(error as Error).message}\n`);
    return EXIT.failure;
  }
}

function commandOf({ print, warn }: Terminal): Command {
  return new Command('npm create @mcr')
    .description(
      'Creates a project: a controller with its tests, image and manifests.\n' +
        'Asks for what the options do not say, if there is a terminal. Each option has a default.',
    )
    .argument('[directory]', `directory, which gives the project its name (default: "${DEFAULTS.directory}")`)
    .addOption(
      new Option('--provider <name>', `where the clusters come from (default: "${DEFAULTS.provider}")`).choices(
        Object.keys(PROVIDERS),
      ),
    )
    .option('--kind <name>', `kind that the project defines (default: "${DEFAULTS.kind}")`, checked(checkKindName))
    .option('--plural <name>', 'plural of the kind in URLs (default: from the kind)', checked(checkPlural))
    .option('--group <group>', `group of the kind (default: "${DEFAULTS.group}")`, checked(checkGroup))
    .addOption(
      new Option('--builtin <kind>', 'reconcile a built-in kind instead (default: a kind of its own)')
        .choices(BUILT_IN)
        .conflicts(['kind', 'plural', 'group']),
    )
    .option('--webhooks', 'add webhooks (default: none)')
    .option('--no-webhooks', 'add no webhooks, and do not ask')
    .option('-y, --yes', 'use the defaults, and do not ask')
    .exitOverride()
    .configureOutput({
      writeOut: print,
      writeErr: warn,
      outputError: (text, write) => write(text.replace(/^error: /u, 'create: ')),
    });
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

function checkPlural(plural: string): string {
  if (/^[a-z]([a-z0-9]{0,61}[a-z0-9])?$/u.test(plural)) return plural;
  throw new Error('expected a name in lower case such as "greetings", with at most 63 letters and digits');
}

function answersOf(flags: Flags): Answers {
  const { directory = DEFAULTS.directory, provider = DEFAULTS.provider, builtin, webhooks = false } = flags;
  const { kind: name = DEFAULTS.kind, plural = pluralOf(name), group = DEFAULTS.group } = flags;
  return {
    directory,
    name: nameOf(directory),
    provider,
    kind: builtin ?? { name, plural, group },
    hasWebhooks: webhooks,
  };
}

function nextSteps({ name, directory }: Answers): string {
  return `Created ${name}. Next:\n\n  cd ${directory} && npm install\n  npm run generate\n  npm test\n`;
}
