import type { ClusterConfig, ClusterName, ShardingOptions } from '@mcr/core';
import { createManager, silentLogger } from '@mcr/core';
import type { Memory } from '../client/memory.ts';
import { memoryAtRest } from '../client/memory.ts';
import { serveCommands } from '../program.ts';
import type { OwnershipChange } from './simulated-fleet.ts';
import { SimulatedFleet } from './simulated-fleet.ts';

const fleet = new SimulatedFleet();
const end = new AbortController();
let running: Promise<void> = Promise.resolve();

/** Commands of a process that is one replica of a sharded manager. */
const commands = {
  async start(config: ClusterConfig, sharding: ShardingOptions): Promise<void> {
    const manager = await createManager({
      config,
      provider: fleet,
      sharding,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    running = manager.start(end.signal);
    // A failure is an error of the command `stop`.
    running.catch(() => undefined);
  },
  grow: (clusters: number): void => fleet.grow(clusters),
  ownership: (): { readonly owned: number; readonly changedAt: number } => ({
    owned: fleet.active.size,
    changedAt: fleet.changedAt,
  }),
  active: (): ClusterName[] => [...fleet.active],
  takeChanges: (): readonly OwnershipChange[] => fleet.takeChanges(),
  memory: (quiet: number): Promise<Memory> => memoryAtRest(quiet),
  /** Resolves when the clusters are handed over and the manager has ended. */
  async stop(): Promise<void> {
    end.abort();
    await running;
  },
  crash: (): boolean => process.kill(process.pid, 'SIGKILL'),
};

export type ReplicaCommands = typeof commands;

serveCommands(commands);
