import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterConfig } from '@mcr/core';
import { parseKubeconfig } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import type { Run, RunningCluster } from './run.ts';

/** Access to a cluster of a scenario as an administrator, and control of its servers. */
export interface ProvidedCluster {
  readonly name: string;
  readonly config: ClusterConfig;
  /** Whether its content is deleted when it is released. */
  readonly isDisposable: boolean;
  /** Ends the processes of the control plane as a crash would. Needs the capability `restart`. */
  kill(): Promise<void>;
  /** Starts them again, on the same port and with the same data. Needs the capability `restart`. */
  restart(): Promise<void>;
  /** Compacts the history. Needs the capability `compact`. */
  compact(): Promise<void>;
  /** Releases the cluster: stops it if it was started for the scenario. */
  release(): Promise<void>;
}

/**
 * Returns the clusters of a scenario, the hub first.
 *
 * @param directory an empty folder for the data of control planes that are started for the scenario.
 */
export async function provideClusters(run: Run, members: number, directory: string): Promise<ProvidedCluster[]> {
  const names = ['hub', ...Array.from({ length: members }, (_, index) => `member-${index + 1}`)];
  if (run.clusters.length > 0) {
    return Promise.all(run.clusters.slice(0, names.length).map((cluster, index) => given(names[index] ?? '', cluster)));
  }
  const backend = run.backend === 'binaries' ? 'binaries' : 'embedded';
  const starts = await Promise.allSettled(
    names.map((name) => createControlPlane({ backend, name, dataDir: join(directory, name) })),
  );
  const failed = starts.find((start) => start.status === 'rejected');
  if (!failed) return starts.flatMap((start) => (start.status === 'fulfilled' ? [started(start.value)] : []));
  await Promise.all(starts.map((start) => (start.status === 'fulfilled' ? start.value.stop() : Promise.resolve())));
  throw failed.reason;
}

function started(plane: ControlPlane): ProvidedCluster {
  return {
    name: plane.name,
    config: plane.config,
    isDisposable: true,
    kill: () => plane.kill(),
    restart: () => plane.restart(),
    compact: () => plane.compact(),
    release: () => plane.stop(),
  };
}

async function given(name: string, { path, context }: RunningCluster): Promise<ProvidedCluster> {
  const refuse = () =>
    Promise.reject(new Error(`${name} (context ${context}) was given to the run, not started by it`));
  return {
    name,
    config: parseKubeconfig(await readFile(path, 'utf8'), { policy: 'trusted', path, context }),
    isDisposable: false,
    kill: refuse,
    restart: refuse,
    compact: refuse,
    release: () => Promise.resolve(),
  };
}
