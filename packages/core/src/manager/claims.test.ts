import { describe, expect, it } from '@jest/globals';
import { untilAborted } from '@mcr/client';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { createNopProvider } from '../provider/nop-provider.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import { clock, newManager, TestProvider } from './manager-scene.fixture.ts';
import { withMultiCluster } from './with-multi-cluster.ts';

const idle = () => ({ run: (signal: AbortSignal) => untilAborted(signal) });

describe('parts shared by two managers', () => {
  it('F-25: a provider in use is refused, and its clusters stay engaged with their manager', async () => {
    const provider = new TestProvider();
    const first = newManager({ provider });
    const end = new AbortController();
    const started = first.start(end.signal);
    const { aware, signal } = await provider.running.promise;
    const member = FakeCluster.ready({ server: 'https://eu-1' });
    await provider.clusters.add('eu-1', member, aware, signal);

    const refusal = 'provider TestProvider is in use by another manager: create a new one, or stop that manager first';
    const coordinator = new BroadcastCoordinator();
    expect(() => newManager({ provider, coordinator })).toThrow(new TypeError(refusal));
    await expect(withMultiCluster(newManager(), provider)).rejects.toThrow(refusal);
    expect(member.state).toBe('running');
    expect(first.fleet.get('eu-1')).toMatchObject({ phase: 'Engaged' });
    // The refused manager has claimed nothing.
    newManager({ coordinator });

    end.abort();
    await started;
    expect(clock.pendingTimers).toBe(0);
  });

  it('F-25: a provider is free for the next manager once the first one has stopped', async () => {
    const provider = createNopProvider();
    const [first, second] = [newManager({ provider }), newManager()];
    expect(() => newManager({ provider })).toThrow('provider NopProvider is in use');
    await first.start(AbortSignal.abort());
    await withMultiCluster(second, provider);
    await expect(withMultiCluster(second, provider)).rejects.toThrow('the manager has provider NopProvider already');
    expect(() => newManager({ provider })).toThrow('provider NopProvider is in use');
    const end = new AbortController();
    const started = second.start(end.signal);
    await clock.advance(0);
    end.abort();
    await started;
    newManager({ provider });
  });

  it('F-25: a provider that withMultiCluster could not set up is free again', async () => {
    const provider = Object.assign(createNopProvider(), {
      setupWithManager: () => Promise.reject(new Error('the hub is down')),
    });
    await expect(withMultiCluster(newManager(), provider)).rejects.toThrow('the hub is down');
    newManager({ provider });
  });

  it('F-25: a coordinator in use is refused before a controller of the second manager is added to it', () => {
    const coordinator = new BroadcastCoordinator();
    const provider = createNopProvider();
    newManager({ coordinator });
    expect(() => newManager({ coordinator, provider })).toThrow(
      'coordinator BroadcastCoordinator is in use by another manager: create a new one, or stop that manager first',
    );
    newManager({ provider });
  });

  it('F-25: a runnable is added to one manager, once', async () => {
    const [first, second] = [newManager(), newManager()];
    const runnable = idle();
    await first.add(runnable);
    await expect(second.add(runnable)).rejects.toThrow('this runnable is in use by another manager: create a new one');
    await expect(first.add(runnable)).rejects.toThrow('this runnable was added to this manager already');
    await first.start(AbortSignal.abort());
    await second.add(runnable);
  });

  it('F-25: a runnable that was added for a while is free after that', async () => {
    const [first, second] = [newManager(), newManager()];
    const [runnable, leave] = [idle(), new AbortController()];
    await first.add(runnable, { signal: leave.signal });
    leave.abort();
    await second.add(runnable);
  });

  it('F-25: a part that has not stopped within the grace period stays in use until it has', async () => {
    const [first, second] = [newManager({ gracefulShutdownTimeout: 0 }), newManager()];
    const slow = Promise.withResolvers<void>();
    const runnable = { run: () => slow.promise };
    await first.add(runnable);
    const end = new AbortController();
    const started = first.start(end.signal);
    await clock.advance(0);
    end.abort();
    await started;
    await expect(second.add(runnable)).rejects.toThrow('in use by another manager');
    slow.resolve();
    await clock.advance(0);
    await second.add(runnable);
  });
});
