import { isDeepStrictEqual } from 'node:util';
import { sleep, systemClock } from '@mcr/core';
import { Backoff, terminalText } from '@mcr/core/provider';
import type { Output } from '../command/output.ts';
import { clusterName, headOf, phaseColors, rowOf } from './cluster-rows.ts';
import { openManager } from './manager/manager.ts';
import type { ManagerOptions } from './manager/manager-options.ts';
import { readFleet, selectionOf } from './manager/read-fleet.ts';
import type { ServedCluster } from './manager/replica-status.ts';
import { tableText } from './table.ts';

/** Options of `mcr fleet watch`. */
export interface WatchOptions extends ManagerOptions {
  readonly selector?: string;
  /** Time between two requests, in seconds. */
  readonly interval: number;
}

/** Delays after a failure, in milliseconds. */
const RETRY = { base: 1_000, max: 30_000 };

/** `mcr fleet watch`: prints each cluster, and again when it changes, until the signal aborts. */
export async function runWatch(names: readonly string[], options: WatchOptions, output: Output): Promise<boolean> {
  await using manager = openManager(options);
  const backoff = new Backoff(RETRY);
  const changes = new ChangedRows(selectionOf(names, options.selector));
  const isStopped = (): boolean => output.signal.aborted;
  while (!isStopped()) {
    let delay = options.interval * 1000;
    try {
      const { clusters, isComplete } = await readFleet(manager, options.timeout, output);
      output.print(tableText(changes.since(clusters, isComplete), phaseColors(output.isColored)));
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

/** The clusters that have been printed, with the fields whose change is printed. */
class ChangedRows {
  readonly #isSelected: (cluster: ServedCluster) => boolean;
  #known: ReadonlyMap<string, unknown> | undefined;

  constructor(isSelected: (cluster: ServedCluster) => boolean) {
    this.#isSelected = isSelected;
  }

  /**
   * Returns the rows of the clusters that changed, with column heads at first.
   *
   * @param isComplete whether every replica answered: otherwise, clusters that are missing may still exist.
   */
  since(clusters: readonly ServedCluster[], isComplete: boolean): readonly (readonly string[])[] {
    const selected = clusters.filter(this.#isSelected);
    const current = new Map(selected.map((cluster) => [cluster.name, watchedFields(cluster)]));
    const known = this.#known ?? new Map<string, unknown>();
    const changed = selected.filter(({ name }) => !isDeepStrictEqual(current.get(name), known.get(name)));
    const gone = isComplete ? [...known.keys()].filter((name) => !current.has(name)) : [];
    const rows = [
      ...(this.#known ? [] : [headOf(false)]),
      ...changed.map((cluster) => rowOf(cluster, { wide: false, now: Date.now() })),
      ...gone.map((name) => [clusterName({ name }), 'Gone', '', '', '', 'the manager no longer knows the cluster']),
    ];
    this.#known = isComplete ? current : new Map([...known, ...current]);
    return rows;
  }
}

/** Returns the fields whose change is printed. */
function watchedFields({ phase, reason, ownership, isolation }: ServedCluster): unknown {
  return { phase, reason, owner: ownership?.owner, isolation: isolation?.state };
}
