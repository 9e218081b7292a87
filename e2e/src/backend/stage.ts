import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { provideClusters } from './backend.ts';
import type { Needs } from './capabilities.ts';
import { lacks } from './capabilities.ts';
import { currentRun, NAME_PREFIX } from './run.ts';
import { Site } from './site.ts';

/** The clusters of a scenario: a hub and members, each with a namespace for the scenario. */
export interface Stage {
  readonly hub: Site;
  readonly members: readonly Site[];
  /**
   * Returns a member by its index.
   *
   * @throws {Error} if the scenario did not request this many members.
   */
  member(index: number): Site;
  /** The scenario's namespace, of the same name in every cluster. */
  readonly namespace: string;
  /** A directory for the scenario. */
  readonly directory: string;
  /** Registers work that must end before the clusters are released. */
  readonly stack: AsyncDisposableStack;
}

const run = currentRun();

/**
 * Declares a scenario that runs on the clusters of any backend. It is skipped, with the reason, if the backend lacks
 * what it needs.
 *
 * @param name the name of the file: names the scenario's namespace.
 * @param play declares the tests; call `stage()` only inside of them.
 */
export function scenario(name: string, needs: Needs, play: (stage: () => Stage) => void): void {
  describe(name, () => {
    const reason = lacks(run, needs);
    if (reason !== undefined) {
      it.skip(reason, () => undefined);
      return;
    }
    let stage: Stage | undefined;
    let close = () => Promise.resolve();
    beforeAll(async () => {
      ({ stage, close } = await openStage(name, needs.members ?? 0));
    });
    afterAll(() => close());
    play(() => {
      if (!stage) throw new Error('the stage is available only inside of tests and hooks');
      return stage;
    });
  });
}

async function openStage(name: string, count: number): Promise<{ stage: Stage; close: () => Promise<void> }> {
  const namespace = `${NAME_PREFIX}${run.id}-${name}`;
  const directory = await mkdtemp(join(run.directory, `${namespace}-`));
  await mkdir(join(directory, 'files'));
  const clusters = new AsyncDisposableStack();
  clusters.defer(() => rm(directory, { recursive: true, force: true }));
  const stack = new AsyncDisposableStack();
  try {
    const provided = await provideClusters(run, count, directory);
    for (const cluster of provided) clusters.defer(() => cluster.release());
    const sites = await Promise.all(
      provided.map(async (cluster) => {
        const site = await Site.open({ cluster, runId: run.id, namespace });
        clusters.defer(() => site.close());
        return site;
      }),
    );
    const [hub, ...members] = sites;
    if (!hub) throw new Error('the backend provides no hub');
    const member = (index: number): Site => {
      const site = members[index];
      if (!site) throw new Error(`the scenario has no member ${index}: it declares ${count}`);
      return site;
    };
    const stage = { hub, members, member, namespace, directory: join(directory, 'files'), stack };
    return { stage, close: () => stack.disposeAsync().finally(() => clusters.disposeAsync()) };
  } catch (error) {
    await clusters.disposeAsync();
    throw error;
  }
}
