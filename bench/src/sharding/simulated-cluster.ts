import type {
  Cache,
  Client,
  Cluster,
  ClusterConfig,
  ClusterInfo,
  ClusterName,
  EventRecorder,
  RestMapper,
} from '@mcr/core';
import { untilAborted } from '@mcr/core/provider';

export const SIMULATED: ClusterConfig = { server: 'https://simulated.invalid' };

const INFO: ClusterInfo = { labels: {}, properties: {} };

/** Client, cache and mapper of all clusters: the controllers of the benchmark use none of them. */
const UNUSED = {
  indexField: async () => undefined,
} as unknown as Client & Cache & RestMapper;

/** A cluster without an API server, as small as possible, because only its ownership is measured. */
export class SimulatedCluster implements Cluster {
  readonly name: ClusterName;
  readonly config = SIMULATED;
  readonly info = INFO;
  readonly client = UNUSED;
  readonly apiReader = UNUSED;
  readonly cache = UNUSED;
  readonly fieldIndexer = UNUSED;
  readonly restMapper = UNUSED;

  constructor(name: ClusterName) {
    this.name = name;
  }

  eventRecorder(): EventRecorder {
    return { event: () => undefined };
  }

  async ready(): Promise<void> {
    // It is always ready.
  }

  async ping(): Promise<void> {
    // It is always healthy.
  }

  async recovered(): Promise<{ outage: number }> {
    return { outage: 0 };
  }

  setFence(): void {
    // Nothing is written.
  }

  describe(): void {
    // Nothing selects it.
  }

  onDescribed(): () => void {
    return () => undefined;
  }

  async rotate(): Promise<void> {
    // It has no credentials.
  }

  run(signal: AbortSignal): Promise<void> {
    return untilAborted(signal);
  }
}
