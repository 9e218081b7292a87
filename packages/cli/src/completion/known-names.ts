import type { Command } from 'commander';
import { contextNames } from '../command/contexts.ts';
import type { Output } from '../command/output.ts';
import type { ManagerOptions } from '../fleet/manager/manager-options.ts';
import { completionText } from './completion-text.ts';
import { type Completions, completionsOf, type NameSources } from './completions.ts';

/** Deadline of a reading of the manager, in seconds: a user waits for the completion. */
const TIMEOUT = 2;

/** Returns the text of the completions of a command line. Completion reports no errors: then, there are no candidates. */
export async function completedText(mcr: Command, words: readonly string[], { signal }: Output): Promise<string> {
  const sources: NameSources = { contexts, clusters: (options) => clusterNames(options as ManagerOptions, signal) };
  const none: Completions = { candidates: [], files: false };
  return completionText(await completionsOf(mcr, words, sources).catch(() => none));
}

function contexts(kubeconfig: string | undefined): readonly string[] {
  try {
    return contextNames(kubeconfig);
  } catch {
    return [];
  }
}

async function clusterNames(options: ManagerOptions, signal: AbortSignal): Promise<readonly string[]> {
  // Loaded here, because most completions need no connection.
  const [{ openManager }, { readFleet }, { clusterName }] = await Promise.all([
    import('../fleet/manager/manager.ts'),
    import('../fleet/manager/read-fleet.ts'),
    import('../fleet/cluster-rows.ts'),
  ]);
  await using manager = openManager(options);
  const { clusters } = await readFleet(manager, TIMEOUT, { print: () => {}, warn: () => {}, signal });
  return clusters.map(clusterName);
}
