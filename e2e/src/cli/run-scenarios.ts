import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKindStandIn } from '@mcr/envtest';
import type { Run } from '../backend/run.ts';
import { NAME_PREFIX, newRunId } from '../backend/run.ts';
import { sweepCompletely } from '../backend/sweep.ts';
import type { RunCommand } from './arguments.ts';
import type { Entry } from './catalogue.ts';
import { CATALOGUE } from './catalogue.ts';
import type { ExistingCluster } from './existing-clusters.ts';
import { definitionsOf, inventoryOf, openExisting } from './existing-clusters.ts';
import { createKindClusters, deleteKindClusters } from './kind-clusters.ts';
import { play } from './play.ts';
import { checkSurroundings, pathOf } from './surroundings.ts';
import type { Progress } from './progress.ts';
import { skippedOf, readOutcomes, tableOf, totalsOf } from './results.ts';

/** Maximum number of clusters that scenarios need: a hub and members. */
const CLUSTERS = 3;

export interface Surroundings {
  readonly progress: Progress;
  /** Ends the run; its clusters are cleaned up all the same. */
  readonly signal: AbortSignal;
}

/** @returns the exit code. */
export async function runScenarios(command: RunCommand, surroundings: Surroundings): Promise<number> {
  const started = performance.now();
  const { progress } = surroundings;
  const { backend, names } = command;
  const id = newRunId();
  const chosen = CATALOGUE.filter(({ name }) => names.length === 0 || names.includes(name));
  const unplayable = chosen.flatMap((entry) => skippedOf(entry, backend) ?? []);
  const entries = chosen.filter((entry) => !skippedOf(entry, backend));
  progress.say(`run ${id} on backend ${backend}: ${entries.length} of ${chosen.length} scenarios`);

  await checkSurroundings(command, surroundings.signal);
  const directory = await mkdtemp(join(tmpdir(), `${NAME_PREFIX}${id}-`));
  try {
    const run: Run = { id, backend, clusters: [], takenDefinitions: [], directory };
    const results = join(directory, 'results.json');
    const leftBehind = entries.length > 0 ? await playOn(command, { ...surroundings, run, entries, results }) : [];
    if (command.results !== undefined && entries.length > 0) await copyFile(results, pathOf(command.results));
    const outcomes = [...(entries.length > 0 ? await readOutcomes(results, entries) : []), ...unplayable];
    const { passed, failed, skipped } = totalsOf(outcomes);
    console.log(`\n${tableOf(outcomes)}\n`);
    for (const line of leftBehind) console.log(`left behind: ${line}`);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped on backend ${backend} (${seconds} s)`);
    if (passed === 0 && failed === 0) console.log('nothing was tested');
    return passed > 0 && failed === 0 && leftBehind.length === 0 ? 0 : 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Performance extends Surroundings {
  readonly run: Run;
  readonly entries: readonly Entry[];
  readonly results: string;
}

/** @returns the objects that scenarios left in clusters that outlive the run. */
async function playOn(command: RunCommand, performance: Performance): Promise<string[]> {
  const { run, progress, signal } = performance;
  const { directory } = run;
  await using stack = new AsyncDisposableStack();
  if (command.backend === 'kind') {
    if (command.standIn) process.env['PATH'] = stack.use(await createKindStandIn()).path;
    stack.defer(() => deleteKindClusters(run.id, progress));
    const { image } = command;
    const options = { runId: run.id, directory, progress, signal, ...(image !== undefined && { image }) };
    await play({ ...performance, run: { ...run, clusters: await createKindClusters(options) } });
    return [];
  }
  if (command.backend === 'existing') {
    const opened = await openExisting(command.existing, { most: CLUSTERS, stack });
    for (const [index, { path, context }] of opened.entries()) {
      progress.say(`  ${index === 0 ? 'hub' : `member-${index}`}: context ${context} of ${path}`);
    }
    return await unchanged(opened, { id: run.id, progress }, async () => {
      const [hub] = opened;
      const clusters = opened.map(({ path, context }) => ({ path, context }));
      const takenDefinitions = hub ? await definitionsOf(hub) : [];
      await play({ ...performance, run: { ...run, clusters, takenDefinitions } });
    });
  }
  await play(performance);
  return [];
}

/** Sweeps every cluster, also if another one fails: that error is thrown at the end. */
async function sweepAll(
  clusters: readonly ExistingCluster[],
  { id, progress }: { readonly id: string; readonly progress: Progress },
): Promise<void> {
  const isOurs = (runId: string): boolean => runId === id;
  const sweeps = await progress.during('cleaning up', () =>
    Promise.allSettled(clusters.map((cluster) => sweepCompletely(cluster, { isOurs }))),
  );
  const failed = sweeps.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/**
 * Runs `work`, and then deletes what it left in the clusters, also if it fails.
 *
 * @returns new objects in the clusters that this run may have created.
 */
async function unchanged(
  clusters: readonly ExistingCluster[],
  { id, progress }: { readonly id: string; readonly progress: Progress },
  work: () => Promise<void>,
): Promise<string[]> {
  const before = await Promise.all(clusters.map(inventoryOf));
  try {
    await work();
  } finally {
    await sweepAll(clusters, { id, progress });
  }
  const left: string[] = [];
  for (const [index, cluster] of clusters.entries()) {
    const after = await inventoryOf(cluster);
    const added = [...after].filter((object) => !before[index]?.has(object));
    left.push(...added.filter((object) => object.includes(id)).map((object) => `${object} in ${cluster.context}`));
    const others = added.filter((object) => !object.includes(id));
    progress.say(`context ${cluster.context}: ${before[index]?.size ?? 0} objects before, ${after.size} after`);
    for (const object of others) progress.say(`  ${object}: created meanwhile, not named for this run`);
  }
  return left;
}
