import { describe, expect, it } from '@jest/globals';
import { FakeCluster } from '../cluster/fake-cluster.fixture.ts';
import { BroadcastCoordinator } from './broadcast-coordinator.ts';

/** An aware component that records the names of its clusters. */
function noting() {
  const names: string[] = [];
  return { names, engage: async (name: string) => void names.push(name) };
}

const live = () => new AbortController().signal;

describe('BroadcastCoordinator', () => {
  it('CT-2: engages every current cluster with a component that is added later', async () => {
    const coordinator = new BroadcastCoordinator();
    const ended = new AbortController();
    await coordinator.engage('gone', new FakeCluster(), ended.signal);
    await coordinator.engage('here', new FakeCluster(), live());
    ended.abort();
    const late = noting();
    await coordinator.addAware(late);
    expect(late.names).toEqual(['here']);
  });

  it('CT-1: engages the same instance once, and a new instance under the same name again', async () => {
    const coordinator = new BroadcastCoordinator();
    const aware = noting();
    await coordinator.addAware(aware);
    const cluster = new FakeCluster();
    const first = new AbortController();
    await coordinator.engage('eu-1', cluster, first.signal);
    await coordinator.engage('eu-1', cluster, live());
    expect(aware.names).toEqual(['eu-1']);
    await coordinator.engage('eu-1', new FakeCluster(), live());
    expect(aware.names).toEqual(['eu-1', 'eu-1']);

    first.abort();
    const late = noting();
    await coordinator.addAware(late);
    expect(late.names).toEqual(['eu-1']);
  });

  it('engages a cluster with all components, also if one of them refuses it', async () => {
    const coordinator = new BroadcastCoordinator();
    const refusing = (message: string) => ({
      engage: () => {
        throw new Error(message);
      },
    });
    const aware = noting();
    await coordinator.addAware(refusing('no room'));
    await coordinator.addAware(aware);
    await expect(coordinator.engage('eu-1', new FakeCluster(), live())).rejects.toThrow('no room');
    expect(aware.names).toEqual(['eu-1']);
    await coordinator.addAware(refusing('busy')).catch(() => undefined);
    await expect(coordinator.engage('eu-2', new FakeCluster(), live())).rejects.toThrow(
      '2 components refused the engagement',
    );
  });

  it('CT-1: engages a cluster again after a component refused it', async () => {
    const coordinator = new BroadcastCoordinator();
    const told: string[] = [];
    await coordinator.addAware({
      engage: async (name) => {
        if (told.push(name) === 1) throw new Error('not now');
      },
    });
    const cluster = new FakeCluster();
    await expect(coordinator.engage('eu-1', cluster, live())).rejects.toThrow('not now');
    await coordinator.engage('eu-1', cluster, live());
    await coordinator.engage('eu-1', cluster, live());
    expect(told).toEqual(['eu-1', 'eu-1']);
  });

  it('CT-2: forgets a component that could not be added', async () => {
    const coordinator = new BroadcastCoordinator();
    await coordinator.engage('eu-1', new FakeCluster(), live());
    const told: string[] = [];
    const refusing = {
      engage: async (name: string) => {
        told.push(name);
        throw new Error('not now');
      },
    };
    await expect(coordinator.addAware(refusing)).rejects.toThrow('not now');
    await coordinator.engage('eu-2', new FakeCluster(), live());
    expect(told).toEqual(['eu-1']);
  });
});
