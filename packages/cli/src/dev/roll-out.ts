import { relative } from 'node:path';
import type { LoadedFiles } from './loaded-files.ts';
import { GRACE } from './program.ts';
import type { Replica } from './replica.ts';
import { type Say, secondsSince } from './say.ts';

/** Deadline for a program to start, and to be ready before the next replica restarts, in milliseconds. */
const DEADLINE = 60_000;
/** Time after which a stop is reported, in milliseconds. */
const LONG_STOP = 3000;

export interface RollOut {
  readonly replicas: readonly Replica[];
  readonly files: LoadedFiles;
  /** Paths in messages begin here. */
  readonly directory: string;
  readonly say: Say;
  /** Called after each start of a replica. */
  readonly onStarted: (replica: Replica) => void;
  /** Called after each restart, also of a program that failed. */
  readonly onChanged: () => void;
  readonly signal: AbortSignal;
}

/** Starts the replicas, and restarts them after each change, until the signal. */
export async function keepCurrent(run: RollOut): Promise<void> {
  const { replicas, files, signal } = run;
  await Promise.all(replicas.map((replica) => start(replica, { run, verb: 'started', since: performance.now() })));
  for (;;) {
    // The abort ends the wait.
    await files.changed(signal).catch(() => undefined);
    if (signal.aborted) return;
    await restartAll(run);
    if (!isOver(run)) run.onChanged();
  }
}

/**
 * Restarts one replica after another, each when the one before is ready, as a Deployment does. Ends at the next change. It also
 * ends when a replica fails: the others keep running the code before.
 */
async function restartAll(run: RollOut): Promise<void> {
  const { replicas, files, directory, signal } = run;
  const change = files.take();
  const verb = change ? `restarted because ${relative(directory, change.path)} changed` : 'restarted';
  // Replicas that do not run come first: the others can give them their clusters.
  const order = replicas.toSorted((a, b) => Number(a.isRunning) - Number(b.isRunning));
  for (const [index, replica] of order.entries()) {
    const since = index === 0 ? change?.since : undefined;
    await stopped(replica, run.say);
    if (signal.aborted) return;
    // The first replica also loads what changed while it stopped.
    if (index === 0) files.take();
    if (!(await start(replica, { run, verb, since: since ?? performance.now() }))) return;
    const next = order[index + 1];
    if (next && !(await isReady(replica, next, run))) return;
  }
}

async function stopped(replica: Replica, say: Say): Promise<void> {
  const timer = setTimeout(
    () => say.step(`${replica.name} has not ended yet: it is killed after ${GRACE / 1000} s`),
    LONG_STOP,
  );
  await replica.stop();
  clearTimeout(timer);
}

interface StartOptions {
  readonly run: RollOut;
  /** Verb of the message. */
  readonly verb: string;
  /** Time of the cause. */
  readonly since: number;
}

/** Starts a replica. @returns whether it runs. */
async function start(replica: Replica, { run, verb, since }: StartOptions): Promise<boolean> {
  replica.start();
  const result = await replica.started(limitOf(run));
  if (result === 'cancelled' && !isOver(run)) {
    run.say.problem(`${replica.name} has not started its manager after ${DEADLINE / 1000} s`);
  }
  if (result !== 'started') return false;
  run.say.step(`${replica.name} ${verb} (${secondsSince(since)})`);
  run.onStarted(replica);
  return true;
}

async function isReady(replica: Replica, next: Replica, run: RollOut): Promise<boolean> {
  const result = await replica.ready(limitOf(run));
  if (result === 'started') return true;
  if (!isOver(run)) run.say.problem(`${replica.name} is not ready: ${next.name} keeps running the code before`);
  return false;
}

/** A change, or the end of `mcr dev`, ends a restart. */
const isOver = ({ signal, files }: RollOut): boolean => signal.aborted || files.arrival.aborted;

const limitOf = ({ signal, files }: RollOut): AbortSignal =>
  AbortSignal.any([signal, files.arrival, AbortSignal.timeout(DEADLINE)]);
