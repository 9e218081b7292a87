import { parseArgs } from 'node:util';

/** Options of a run. */
export interface Arguments {
  readonly ops: number;
  readonly seed: number;
  readonly show: number;
  readonly json: boolean;
  /** Whether the answers of kube-apiserver are recorded. */
  readonly record: boolean;
  readonly help: boolean;
}

export const HELP = `Usage: pnpm judge [--ops N] [--seed N] [--show N] [--json] [--record]

Sends the same random requests to an embedded API server and to a kube-apiserver, and compares every answer: status, headers,
body and the events of watches. Needs the binaries kube-apiserver and etcd in the directory $KUBEBUILDER_ASSETS.

Options
  --ops N    number of operations. Default: 1000
  --seed N   seed of the operations, a 32-bit integer. The same seed sends the same operations. Default: 1
  --show N   number of groups of like differences to describe. Default: 20
  --json     print a summary as the last line of stdout:
             {"ops","differences","known","perThousand","seed"}
  --record   write the operations and the answers of kube-apiserver to judge/src/transcript.ndjson.gz, which a test replays.
             Watches that wait for later operations are left out
  --help     print this text

Differences of judge/src/known-differences.ts are counted as known, and not as differences.

Exit codes: 0 no differences, 1 differences, 2 the run could not start, 130 after Ctrl-C.
`;

/**
 * Reads the command line.
 *
 * @throws {TypeError} if an option is unknown, or its value is not a number in its range.
 */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({
    // `pnpm judge -- --ops 5` passes the two hyphens on.
    args: args[0] === '--' ? args.slice(1) : [...args],
    options: {
      ops: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      show: { type: 'string', default: '20' },
      json: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    ops: integer('ops', values.ops, 1, 10_000_000),
    seed: integer('seed', values.seed, 0, 2 ** 32 - 1),
    show: integer('show', values.show, 0, 100_000),
    json: values.json,
    record: values.record,
    help: values.help,
  };
}

function integer(option: string, text: string, from: number, to: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= from && value <= to) return value;
  throw new TypeError(`--${option} ${text}: expected an integer from ${from} to ${to}`);
}
