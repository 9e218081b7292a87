import type { Manager, Metrics, ShardingStatus } from '@mcr/core';
import type { Overview, ReplicaFigures } from '../protocol.ts';
import { ControllerFigureReader } from './controller-figures.ts';
import { samplesOf } from './samples.ts';

export interface OverviewOptions {
  readonly manager: Pick<Manager, 'clock' | 'isLeader' | 'shardingStatus'>;
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly title: string;
}

/** Reads what the page shows of a manager, besides its clusters. */
export class OverviewReader {
  readonly #options: OverviewOptions;
  readonly #controllers: ControllerFigureReader;

  constructor(options: OverviewOptions) {
    this.#options = options;
    this.#controllers = new ControllerFigureReader(options.metrics, options.manager.clock);
  }

  async read(): Promise<Overview> {
    const { manager, metrics, title } = this.#options;
    const [controllers, leadership] = await Promise.all([
      this.#controllers.read(),
      samplesOf(metrics, 'leader_election_master_status'),
    ]);
    const sharding = manager.shardingStatus?.();
    return {
      title,
      now: manager.clock.wallTime(),
      ...(leadership.length > 0 && { isLeader: manager.isLeader() }),
      controllers,
      ...(sharding && { replica: replicaOf(sharding) }),
    };
  }
}

function replicaOf(status: ShardingStatus): ReplicaFigures {
  const { replica: name, fence, problem, epoch, isMember, slots, held, replicas, handovers, refusedWrites } = status;
  return {
    ...{ name, fence, epoch, isMember, slots, held, replicas, handovers, refusedWrites },
    ...(problem !== undefined && { problem }),
  };
}
