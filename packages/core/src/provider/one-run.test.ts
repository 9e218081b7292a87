import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import type { Provider } from '../manager/provider.ts';
import { InMemoryProvider } from './in-memory-provider.ts';
import { Roster } from './roster.ts';
import { createSingleClusterProvider } from './single-cluster-provider.ts';

const aware = { engage: async () => undefined };

describe('a provider that runs', () => {
  let end: AbortController;
  beforeEach(() => {
    end = new AbortController();
  });
  afterEach(() => end.abort());

  const ofRoster = (): Pick<Provider, 'run'> => {
    const roster = new Roster();
    return { run: (to, signal) => roster.serve({ aware: to, signal }, async () => undefined) };
  };

  it.each<[string, Pick<Provider, 'run'>]>([
    ['provider SingleClusterProvider', createSingleClusterProvider('eu-1', new FakeCluster())],
    ['provider InMemoryProvider', new InMemoryProvider()],
    ['this provider', ofRoster()],
  ])('refuses a second run until the first one has ended: %s', async (name, provider) => {
    const first = provider.run?.(aware, end.signal);
    await expect(provider.run?.(aware, end.signal)).rejects.toThrow(
      new TypeError(`${name} is in use by another run: create a new one, or end that run first`),
    );
    end.abort();
    await first;

    end = new AbortController();
    const next = provider.run?.(aware, end.signal);
    end.abort();
    await expect(next).resolves.toBeUndefined();
  });

  it('may run again after a run that failed', async () => {
    const roster = new Roster();
    const failing = roster.serve({ aware, signal: end.signal }, () => Promise.reject(new Error('no inventory')));
    await expect(failing).rejects.toThrow('no inventory');
    const next = roster.serve({ aware, signal: end.signal }, async () => undefined);
    end.abort();
    await expect(next).resolves.toBeUndefined();
  });
});
