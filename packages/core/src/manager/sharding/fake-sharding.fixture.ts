import { untilAborted } from '@mcr/client';
import { FakeOwnership } from '../../fleet/clusters/fake-ownership.fixture.ts';
import { FakeSlots } from '../../controller/sharded/fake-slots.fixture.ts';
import type { Sharding, ShardingStatus } from '../../sharding/sharding.ts';

/** Sharding that the test controls. It records what the manager does. */
export class FakeSharding implements Sharding {
  readonly ownership = new FakeOwnership();
  readonly slots = new FakeSlots();
  readonly plan = { namespace: 'fleet', name: 'test-plan' };
  readonly log: string[];
  /** Changes of {@link status}. */
  reported: Partial<ShardingStatus> = {};
  /** Rejects {@link run}. */
  readonly failure = Promise.withResolvers<never>();
  readonly #left = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();

  constructor(log: string[] = []) {
    this.log = log;
  }

  /** Resolves when the manager has this replica leave. */
  get left(): Promise<void> {
    return this.#left.promise;
  }

  /** Ends {@link leave}. */
  release(): void {
    this.#released.resolve();
  }

  async run(signal: AbortSignal): Promise<void> {
    this.log.push('sharding starts');
    await Promise.race([untilAborted(signal), this.failure.promise, this.#released.promise]);
    this.log.push('sharding stopped');
  }

  async leave(): Promise<void> {
    this.log.push('leaves');
    this.#left.resolve();
    await this.#released.promise;
  }

  status(): ShardingStatus {
    return {
      replica: 'replica-a',
      fence: 'open',
      epoch: 3,
      isCurrent: true,
      isMember: true,
      slots: 1_024,
      held: { active: 500, warming: 20, draining: 4 },
      replicas: ['replica-a', 'replica-b'],
      evictions: 1,
      plans: 2,
      handovers: { count: 520, milliseconds: 2_600 },
      refusedWrites: 7,
      ...this.reported,
    };
  }
}
