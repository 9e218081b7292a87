import type { BackendName } from '../backend/run.ts';
import { CATALOGUE, entryOf } from './catalogue.ts';

/** The parsed arguments of `pnpm e2e`. */
export type Command =
  | { readonly type: 'help' }
  | { readonly type: 'list' }
  | RunCommand
  | { readonly type: 'clean'; readonly existing: readonly string[]; readonly force: boolean };

export interface RunCommand {
  readonly type: 'run';
  readonly backend: BackendName;
  /** Kubeconfig files of the backend `existing`. */
  readonly existing: readonly string[];
  /** Names of scenarios. Empty: all. */
  readonly names: readonly string[];
  /** The image of the nodes of Kind clusters. */
  readonly image?: string;
  /** Whether clusters of the backend `kind` come from the stand-in for Kind. */
  readonly standIn: boolean;
  /** A file for the results, in the JSON format of Jest. */
  readonly results?: string;
}

/** Arguments, files or programs with which a run cannot start. The message says what is expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function isUsageError(error: unknown): error is UsageError {
  return error instanceof UsageError;
}

export const HELP = `Plays whole-fleet scenarios against Kubernetes control planes.

Usage:
  pnpm e2e [--backend embedded|binaries|kind] [--existing KUBECONFIG ...] [NAME ...]
  pnpm e2e clean [--existing KUBECONFIG ...] [--force]
  pnpm e2e --list | --help

  NAME                      a scenario of --list; default: all
  --backend embedded        the API server of @mcr/apiserver (default)
  --backend binaries        an etcd and a kube-apiserver for each cluster, from $KUBEBUILDER_ASSETS
  --backend kind            a hub and two members, created by the kind program and deleted at the end
      --image IMAGE         the node image, for example kindest/node:v1.34.0
      --stand-in            a stand-in for kind, for machines without a container engine
  --existing KUBECONFIG ... clusters that exist: the first context is the hub, the next two are the members, in the
                            order of the files; needs cluster-admin, and leaves nothing behind
  --results FILE            writes the results as Jest's JSON

  clean                     deletes what crashed runs left: Kind clusters, and objects in the clusters of --existing
      --force               also of runs whose process id is in use
`;

const RUN_BACKENDS = ['embedded', 'binaries', 'kind'] as const;

/** @throws {UsageError} that names the argument and lists what exists. */
export function parseArguments(argv: readonly string[]): Command {
  // npm and pnpm pass on the `--` that ends their own options.
  const args = argv[0] === '--' ? argv.slice(1) : [...argv];
  if (args.includes('--help') || args.includes('-h')) return { type: 'help' };
  const clean = args[0] === 'clean';
  if (clean) args.shift();

  const found: { -readonly [Option in keyof Omit<RunCommand, 'type' | 'backend'>]: RunCommand[Option] } & {
    existing: string[];
    names: string[];
  } = { existing: [], names: [], standIn: false };
  let backend: BackendName | undefined;
  let force = false;
  let isList = false;

  for (let arg = args.shift(); arg !== undefined; arg = args.shift()) {
    const [option, inline] = splitOption(arg);
    const value = (): string => {
      const next = inline ?? args.shift();
      if (next === undefined || next.startsWith('-')) throw new UsageError(`${option}: expected a value`);
      return next;
    };
    if (clean && !['--existing', '--force'].includes(option)) {
      throw new UsageError(`clean ${arg}: unknown argument: clean takes --existing KUBECONFIG ... and --force`);
    }
    if (option === '--list') isList = true;
    else if (option === '--backend') backend = backendOf(value());
    else if (option === '--image') found.image = value();
    else if (option === '--results') found.results = value();
    else if (option === '--stand-in') found.standIn = true;
    else if (option === '--force' && clean) force = true;
    else if (option === '--existing') {
      found.existing.push(value());
      // The values end at the next option, or at the name of a scenario.
      while (args[0] !== undefined && !args[0].startsWith('-') && !namesOf(args[0]).length) {
        found.existing.push(args.shift() ?? '');
      }
    } else if (option.startsWith('-')) {
      throw new UsageError(
        `${option}: unknown option: expected --backend, --existing, --image, --stand-in, --results, --list or --help`,
      );
    } else found.names.push(...scenariosOf(arg));
  }
  if (isList) return { type: 'list' };
  if (clean) return { type: 'clean', existing: found.existing, force };
  if (backend !== undefined && found.existing.length > 0) {
    throw new UsageError(`--existing and --backend ${backend} exclude each other: leave one of them out`);
  }
  const chosen = found.existing.length > 0 ? 'existing' : (backend ?? 'embedded');
  for (const [option, isGiven] of [
    ['--image', found.image !== undefined],
    ['--stand-in', found.standIn],
  ] as const) {
    if (isGiven && chosen !== 'kind') throw new UsageError(`${option} is for --backend kind, found ${chosen}`);
  }
  return { type: 'run', ...found, backend: chosen };
}

function splitOption(arg: string): [string, string?] {
  const end = arg.startsWith('--') ? arg.indexOf('=') : -1;
  return end < 0 ? [arg] : [arg.slice(0, end), arg.slice(end + 1)];
}

function backendOf(text: string): BackendName {
  const backend = RUN_BACKENDS.find((name) => name === text);
  if (backend === undefined) {
    throw new UsageError(`--backend ${text}: unknown backend: expected ${RUN_BACKENDS.join(', ')}`);
  }
  return backend;
}

/** A name, or a folder such as `faults`. */
function namesOf(text: string): string[] {
  if (entryOf(text)) return [text];
  return CATALOGUE.filter(({ name }) => name.startsWith(`${text}/`)).map(({ name }) => name);
}

function scenariosOf(text: string): string[] {
  const names = namesOf(text);
  if (names.length > 0) return names;
  throw new UsageError(`${text}: unknown scenario: expected ${CATALOGUE.map(({ name }) => name).join(', ')}`);
}
