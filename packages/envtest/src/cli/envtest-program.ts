import { Command, InvalidArgumentError } from 'commander';

/** Options of `mcr-envtest up`. */
export interface UpOptions {
  readonly members: number;
  /** Files and directories with CustomResourceDefinitions. */
  readonly crds?: readonly string[];
  /** Files and directories with objects to apply to each cluster. */
  readonly load?: readonly string[];
  /** Port of the hub; the members have the next ones. Default: free ports. */
  readonly port?: number;
  /** Directory of the kubeconfig files. Default: a temporary one. */
  readonly dir?: string;
  readonly dataDir?: string;
  readonly json?: boolean;
}

/** The commands of the program. */
export interface EnvtestCommands {
  readonly up: (options: UpOptions) => Promise<void>;
  /** @param directory directory to write to. */
  readonly assets: (directory: string) => Promise<void>;
}

/** Number of members by default, and maximum number that one process serves well. */
const MEMBERS = 3;
const MAX_MEMBERS = 1000;

const MAX_PORT = 65_535;

const UP_NOTES = `
Exit codes: 0 after --help, 1 if it cannot start or a cluster ends, 2 for wrong arguments, 130 after Ctrl-C,
143 after SIGTERM, 129 if the terminal is closed.`;

const ASSETS_NOTES = `
Run an envtest suite with them: KUBEBUILDER_ASSETS=<dir> go test ./...
The programs start this Node.js and this installation of the package: write them again after you move either.
They need a POSIX shell.`;

/**
 * Returns the program `mcr-envtest`, which calls `commands`. Its `parseAsync` throws a `CommanderError` for wrong arguments, and
 * after it has printed the help.
 */
export function envtestProgram({ up, assets }: EnvtestCommands): Command {
  const program = new Command('mcr-envtest')
    .description('Kubernetes control planes for tests and demos, with the embedded API server.')
    .exitOverride()
    .configureOutput({ outputError: (message, write) => write(message.replace(/^error: /, 'mcr-envtest: ')) });
  const upCommand = program
    .command('up')
    .summary('start a hub and members, and write kubeconfig files')
    .description('Starts a hub and members, and serves them until Ctrl-C.')
    .option('--members <n>', 'number of members', wholeNumber(0, MAX_MEMBERS), MEMBERS)
    .option(
      '--crds <path>',
      'file or directory with CustomResourceDefinitions, installed in each cluster (default: none); repeatable',
      repeated,
    )
    .option(
      '--load <path>',
      'file or directory with objects, applied to each cluster (default: none); repeatable',
      repeated,
    )
    .option(
      '--port <n>',
      'port of the hub; the members use the next ones (default: free ports)',
      wholeNumber(1, MAX_PORT),
    )
    .option('--dir <dir>', 'directory for kubeconfig files (default: a temporary one, deleted at the end)', text)
    .option('--data-dir <dir>', 'directory that keeps the objects after the end (default: in memory)', text)
    .option('--json', 'print one line of JSON instead of a table')
    .addHelpText('after', UP_NOTES);
  upCommand.action(async (options: UpOptions) => {
    const last = MAX_PORT - options.members;
    if (options.port !== undefined && options.port > last) {
      upCommand.error(`error: option '--port <n>' must be at most ${last} with ${options.members} members`);
    }
    await up(options);
  });
  program
    .command('assets')
    .summary('write kube-apiserver and etcd programs for envtest suites')
    .description('Writes programs named kube-apiserver and etcd, which start the embedded API server.')
    .argument('<dir>', 'directory to write to', text)
    .action(assets)
    .addHelpText('after', ASSETS_NOTES);
  return program;
}

/** Refuses an empty value, and the next option in place of a value, as in `--dir --json`. */
function text(value: string): string {
  if (value === '' || value.startsWith('--')) throw new InvalidArgumentError('expected a value');
  return value;
}

function repeated(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text(value)];
}

function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}`);
  };
}
