import { describe, expect, it } from '@jest/globals';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import type { Coordinator, Decision } from '../fleet/coordinator/coordinator.ts';
import type { Engagement } from '../fleet/coordinator/engagements.ts';
import { isClusterNotFound } from '../fleet/multicluster/cluster-not-found-error.ts';
import { clock, newManager, TestProvider } from './manager-scene.fixture.ts';
import { withMultiCluster } from './with-multi-cluster.ts';

/** Serves the clusters that a test selects. */
class ShardCoordinator implements Coordinator {
  readonly owned: Set<string>;
  readonly #decide = new Map<string, (decision: Decision) => void>();

  constructor(...owned: string[]) {
    this.owned = new Set(['', ...owned]);
  }

  async addAware(): Promise<void> {
    // These tests use no controller.
  }

  async engage(
    name: Engagement['name'],
    _cluster: Engagement['cluster'],
    _signal: AbortSignal,
    { decide }: { readonly decide: (decision: Decision) => void },
  ): Promise<void> {
    this.#decide.set(name, decide);
    if (!this.owned.has(name)) decide({ declined: 'replica b owns it' });
  }

  decide(name: string, decision: Decision): void {
    this.#decide.get(name)?.(decision);
  }
}

describe('a cluster that the coordinator declines', () => {
  const play = async (
    scenario: (parts: {
      readonly manager: Awaited<ReturnType<typeof withMultiCluster>>;
      readonly provider: TestProvider;
      readonly coordinator: ShardCoordinator;
      readonly member: FakeCluster;
    }) => Promise<void>,
    { lift = false } = {},
  ) => {
    const [provider, coordinator] = [new TestProvider(), new ShardCoordinator('mine')];
    const manager = lift
      ? await withMultiCluster(newManager({ coordinator }), provider)
      : newManager({ provider, coordinator });
    const end = new AbortController();
    const started = manager.start(end.signal);
    try {
      const { aware, signal } = await provider.running.promise;
      const member = FakeCluster.ready({ server: 'https://theirs' });
      await provider.clusters.add('mine', FakeCluster.ready({ server: 'https://mine' }), aware, signal);
      await provider.clusters.add('theirs', member, aware, signal);
      await scenario({ manager, provider, coordinator, member });
    } finally {
      end.abort();
      await started;
    }
    expect(clock.pendingTimers).toBe(0);
  };

  it.each([{ lift: false }, { lift: true }])(
    'FL-1: is Discovered with the reason, and getCluster refuses it (%j)',
    async (options) => {
      await play(async ({ manager, provider }) => {
        expect(manager.fleet.get('mine')).toMatchObject({ phase: 'Engaged' });
        expect(manager.fleet.get('theirs')).toMatchObject({
          phase: 'Discovered',
          reason: 'this process does not serve it: replica b owns it',
        });
        for (const refused of [manager.getCluster('theirs'), manager.getManager('theirs')]) {
          const error: unknown = await refused.catch((thrown: unknown) => thrown);
          expect(isClusterNotFound(error)).toBe(true);
          expect(error).toMatchObject({
            message: 'cluster "theirs" is not engaged: this process does not serve it: replica b owns it',
          });
        }
        expect(await manager.getCluster('mine')).toBe(await provider.get('mine'));
      }, options);
    },
  );

  it('FL-4: is not checked for health, and stays Discovered whatever its provider reports', async () => {
    await play(async ({ manager, member }) => {
      member.silence = new Error('it is gone');
      await clock.advance(120_000);
      expect(member.pings).toBe(0);
      manager.report?.('theirs', { phase: 'Connecting', reason: 'its credentials were rotated in place' });
      expect(manager.fleet.get('theirs')).toMatchObject({
        phase: 'Discovered',
        reason: 'this process does not serve it: replica b owns it; its credentials were rotated in place',
      });
    });
  });

  it('FL-1: is engaged when the coordinator accepts it, and can be declined again later', async () => {
    await play(async ({ manager, coordinator, member }) => {
      coordinator.decide('theirs', 'accepted');
      coordinator.decide('theirs', 'accepted');
      expect(manager.fleet.get('theirs')).toMatchObject({ phase: 'Engaged' });
      expect(await manager.getCluster('theirs')).toBe(member);
      await clock.advance(20_000);
      const { pings } = member;
      expect(pings).toBeGreaterThan(0);
      coordinator.decide('theirs', { declined: 'replica c owns it' });
      await clock.advance(60_000);
      expect(member.pings).toBe(pings);
      expect(manager.fleet.get('theirs')).toMatchObject({
        phase: 'Discovered',
        reason: 'this process does not serve it: replica c owns it',
      });
    });
  });

  it('FL-1: a decision after the end of the engagement has no effect', async () => {
    await play(async ({ manager, provider, coordinator }) => {
      await provider.clusters.remove('theirs', { reason: 'its Secret was deleted' });
      coordinator.decide('theirs', 'accepted');
      expect(manager.fleet.get('theirs')).toMatchObject({ phase: 'Disengaged', reason: 'its Secret was deleted' });
      await expect(manager.getCluster('theirs')).rejects.toThrow('cluster "theirs" is not engaged');
    });
  });
});
