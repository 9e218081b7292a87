import process from 'node:process';
import { createControlPlane } from '@mcr/envtest';
import type { Arguments } from './arguments.ts';
import { HELP, readArguments } from './arguments.ts';
import { compare } from './comparison.ts';
import { Duel } from './duel.ts';
import { noHits, unknown } from './known-differences.ts';
import type { Operation } from './operation.ts';
import { Differences, describeGroup } from './report.ts';
import { script } from './script.ts';
import type { Answer } from './side.ts';
import type { Recorded } from './transcript.ts';
import { recordOf, writeTranscript } from './transcript.ts';

/** Interval of the lines about the progress, in milliseconds. */
const PROGRESS_INTERVAL = 5_000;

/** Exit code after Ctrl-C, as shells report it. */
const INTERRUPTED = 130;

const args = readOrFail();
if (args?.help) process.stdout.write(HELP);
else if (args && !process.env['KUBEBUILDER_ASSETS']) {
  fail('KUBEBUILDER_ASSETS is not set: set it to a directory with kube-apiserver and etcd, as setup-envtest prints it');
} else if (args) await run(args);

function readOrFail(): Arguments | undefined {
  try {
    return readArguments(process.argv.slice(2));
  } catch (error) {
    fail(`${(error as Error).message}; see --help`);
    return undefined;
  }
}

function fail(message: string): void {
  process.stderr.write(`judge: ${message}\n`);
  process.exitCode = 2;
}

async function run({ ops, seed, show, json, record }: Arguments): Promise<void> {
  process.stderr.write(`judge: starting kube-apiserver and the embedded API server\n`);
  const servers = await startOrFail();
  if (!servers) return;
  await using real = servers[0];
  await using embedded = servers[1];
  using duel = new Duel([real.config, embedded.config]);
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  try {
    await duel.prepare();
  } catch (error) {
    fail((error as Error).message);
    return;
  }
  const differences = new Differences();
  const hits = noHits();
  let known = 0;
  let done = 0;
  let reported = Date.now();
  const transcript: Recorded[] = [];
  const operations = record ? replayable(seed) : script(seed);
  for await (const round of duel.rounds(operations, ops, interrupted.signal)) {
    done = round.index + 1;
    const [expected, actual] = round.answers as readonly [Answer, Answer];
    const found = compare(expected, actual);
    const left = unknown(round, found, hits);
    if (left.length > 0) differences.add(round, left);
    else if (found.length > 0) known += 1;
    if (found.length > 0) await duel.reset(round.operation);
    if (record) {
      const recorded = recordOf(round, { found: found.length, left: left.length });
      // A watch without an answer changes nothing, and a replay would wait for its end.
      if (recorded.answer || !/[?&]watch=/u.test(round.operation.path)) transcript.push(recorded);
    }
    if (Date.now() - reported > PROGRESS_INTERVAL) {
      reported = Date.now();
      process.stderr.write(`judge: ${done} of ${ops} operations, ${differences.count} differences, ${known} known\n`);
    }
  }
  if (record) await writeTranscript(transcript);
  const { groups } = differences;
  for (const group of groups.slice(0, show)) process.stdout.write(`${describeGroup(group)}\n`);
  if (groups.length > show) process.stdout.write(`${groups.length - show} more groups: see them with --show N\n`);
  const perThousand = done === 0 ? 0 : Math.round((differences.count * 100_000) / done) / 100;
  const summary = { ops: done, differences: differences.count, known, perThousand, seed };
  for (const [reason, count] of hits) process.stderr.write(`judge: ${count} known: ${reason}\n`);
  process.stderr.write(`judge: ${done} operations, ${differences.count} differences, ${known} known\n`);
  if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  process.exitCode = interrupted.signal.aborted ? INTERRUPTED : differences.count > 0 ? 1 : 0;
}

/** Yields the operations of a script whose answers do not depend on later ones. */
function* replayable(seed: number): Generator<Operation, never> {
  const operations = script(seed);
  for (;;) {
    const { value } = operations.next();
    if (value.until !== 'marker') yield value;
  }
}

type Servers = readonly [
  Awaited<ReturnType<typeof createControlPlane>>,
  Awaited<ReturnType<typeof createControlPlane>>,
];

async function startOrFail(): Promise<Servers | undefined> {
  try {
    const real = await createControlPlane({ backend: 'binaries' });
    return [real, await createControlPlane({ backend: 'embedded' })];
  } catch (error) {
    fail((error as Error).message);
    return undefined;
  }
}
