import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import type { Provider } from '../manager/provider.ts';
import { BaseProvider } from './base-provider.ts';
import { InMemoryProvider } from './in-memory-provider.ts';
import { createSingleClusterProvider } from './single-cluster-provider.ts';

class TestProvider extends BaseProvider {
  protected async discover(): Promise<void> {}
}

const aware = { engage: async () => undefined };

describe('a provider that runs', () => {
  let end: AbortController;
  beforeEach(() => {
    end = new AbortController();
  });
  afterEach(() => end.abort());

  it.each<[string, Pick<Provider, 'run'>]>([
    ['provider SingleClusterProvider', createSingleClusterProvider('eu-1', new FakeCluster())],
    ['provider InMemoryProvider', new InMemoryProvider()],
    ['provider TestProvider', new TestProvider()],
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
});
