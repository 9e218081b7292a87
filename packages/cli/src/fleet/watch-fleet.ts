import { isDeepStrictEqual } from 'node:util';
import { sleep, systemClock } from '@mcr/core';
import { Backoff, terminalText } from '@mcr/core/provider';
import type { Output } from '../command/output.ts';
import { clusterName, headOf, rowOf, tableStyle } from './cluster-rows.ts';
import { openManager } from './manager/manager.ts';
import type { ManagerOptions } from './manager/manager-options.ts';
import { readFleet } from './manager/read-fleet.ts';
import type { ServedCluster } from './manager/replica-status.ts';
import { selectionOf } from './selection.ts';
import { Table } from './table.ts';

/** Options of `mcr fleet watch`. */
export interface WatchOptions extends ManagerOptions {
  readonly selector?: string;
  readonly phase?: readonly string[];
  /** Default: a table with fewer columns. */
  readonly output?: 'wide' | undefined;
  readonly headers: boolean;
  /** Time between two requests, in seconds. */
  readonly interval: number;
}

/** Delays after a failure, in milliseconds. */
const RETRY = { base: 1_000, max: 30_000 };

/** `mcr fleet watch`: prints each cluster, and again when it changes, until the signal aborts. */
export async function runWatch(names: readonly string[], options: WatchOptions, output: Output): Promise<boolean> {
  await using manager = openManager(options);
  const backoff = new Backoff(RETRY);
  const wide = options.output === 'wide';
  const changes = new ChangedClusters(selectionOf({ ...options, names }));
  const table = new Table();
  let head = options.headers ? [headOf(wide)] : [];
  const isStopped = (): boolean => output.signal.aborted;
  while (!isStopped()) {
    let delay = options.interval * 1000;
    try {
      const { clusters, isComplete } = await readFleet(manager, options.timeout, output);
      const now = Date.now();
      const { changed, gone } = changes.since(clusters, isComplete);
      const rows = changed.map((cluster) => rowOf(cluster, { wide, now }));
      output.print(
        table.lines([...head, ...rows, ...gone.map((name) => goneRow(name, wide))], tableStyle(output, { wide })),
      );
      head = [];
      backoff.reset();
    } catch (error) {
      if (isStopped()) break;
      output.warn(`mcr: ${terminalText((error as Error).message)}, retrying\n`);
      delay = backoff.next();
    }
    await sleep(systemClock, delay, output.signal).catch(() => undefined);
  }
  return true;
}

/** The row of a cluster that the manager no longer knows. */
function goneRow(name: string, wide: boolean): readonly string[] {
  const row = headOf(wide).map(() => '');
  return row.with(0, clusterName({ name })).with(1, 'Gone').with(-1, 'the manager no longer knows the cluster');
}

/** The clusters that have been printed, with the fields whose change is printed. */
class ChangedClusters {
  readonly #isSelected: (cluster: ServedCluster) => boolean;
  #known: ReadonlyMap<string, unknown> = new Map();

  constructor(isSelected: (cluster: ServedCluster) => boolean) {
    this.#isSelected = isSelected;
  }

  /**
   * Returns the clusters that changed, also those that are no longer selected, and the names of those that are gone.
   *
   * @param isComplete whether every replica answered: otherwise, clusters that are missing may still exist.
   */
  since(
    clusters: readonly ServedCluster[],
    isComplete: boolean,
  ): { readonly changed: readonly ServedCluster[]; readonly gone: readonly string[] } {
    const known = this.#known;
    const current = new Map(clusters.filter(this.#isSelected).map((cluster) => [cluster.name, watchedFields(cluster)]));
    const changed = clusters.filter(({ name }) =>
      current.has(name) ? !isDeepStrictEqual(current.get(name), known.get(name)) : known.has(name),
    );
    const reported = new Set(clusters.map(({ name }) => name));
    const missing = [...known].filter(([name]) => !reported.has(name));
    this.#known = isComplete ? current : new Map([...missing, ...current]);
    return { changed, gone: isComplete ? missing.map(([name]) => name) : [] };
  }
}

/** Returns the fields whose change is printed. */
function watchedFields({ phase, reason, ownership, isolation }: ServedCluster): unknown {
  return { phase, reason, owner: ownership?.owner, isolation: isolation?.state };
}
