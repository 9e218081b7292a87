import { describe, expect, it } from '@jest/globals';
import type { Logger } from '@mcr/client';
import { silentLogger, sleep, systemClock } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { Manager } from '../manager/manager.ts';
import { eventually } from '../testing/eventually.ts';
import { BaseProvider } from './base-provider.ts';
import type { BaseProviderOptions, DiscoveredClusters } from './discovered-clusters.ts';
import { discoveryScene } from './discovery-scene.fixture.ts';

type Discover = (clusters: DiscoveredClusters, signal: AbortSignal) => Promise<void>;

/** A provider that discovers what a test passes. */
class TestProvider extends BaseProvider {
  readonly #discover: Discover;

  constructor(discover: Discover, options?: BaseProviderOptions) {
    super(options);
    this.#discover = discover;
  }

  protected async discover(signal: AbortSignal): Promise<void> {
    await this.#discover(this.clusters, signal);
    this.inventoryRead({ path: 'fleet.yaml' });
  }
}

function scene() {
  const discovery = discoveryScene();
  const clock = new VirtualClock();
  const end = new AbortController();
  const lines: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: () => void lines.push('error'),
    info: (message, fields) => void lines.push(`${message} ${JSON.stringify(fields)}`),
    debug: () => void lines.push('debug'),
  };
  const provider = async (discover: Discover) => {
    const made = new TestProvider(discover, { newCluster: discovery.newCluster });
    await made.setupWithManager({ clock, logger } as unknown as Manager);
    return made;
  };
  return { ...discovery, clock, end, lines, provider };
}

describe('BaseProvider', () => {
  it('PV-2: engages the clusters that it discovers, and disengages them when it stops', async () => {
    const { aware, engaged, made, entry, end, provider } = scene();
    const tested = await provider(async (clusters) => clusters.set('eu-1', entry('1')));
    const ran = tested.run(aware, end.signal);
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    expect(tested.clusterNames()).toEqual(['eu-1']);
    expect(await tested.get('eu-1')).toBe(made[0]);
    end.abort();
    await ran;
    expect([...engaged]).toEqual([]);
    await expect(tested.get('eu-1')).rejects.toThrow('cluster "eu-1" is not engaged');
  });

  it('FL-1, PV-4: the problem of an entry is reported again after a failed discovery', async () => {
    const { aware, reports, engaged, entry, clock, end, provider } = scene();
    let calls = 0;
    const tested = await provider(async (clusters) => {
      calls += 1;
      if (calls > 1) return;
      clusters.set('eu-1', entry('1'));
      await eventually(() => expect([...engaged]).toEqual(['eu-1']));
      clusters.refuse('eu-1', new Error('the kubeconfig has no clusters'));
      throw new Error('the registry is away');
    });
    const ran = tested.run(aware, end.signal);
    await eventually(() => expect(reports.at(-1)).toContain('the registry is away'));
    await clock.advance(2_000);
    expect(reports.slice(-2)).toEqual([
      'eu-1 Connecting: its provider runs again',
      'eu-1 Unreachable: the kubeconfig has no clusters; the cluster keeps its last good configuration',
    ]);
    end.abort();
    await ran;
  });

  it('PV-3: a discovery that fails is retried with backoff and reported, and no cluster is disengaged', async () => {
    const { aware, reports, engaged, entry, clock, end, provider } = scene();
    let calls = 0;
    const tested = await provider(async (clusters) => {
      calls += 1;
      clusters.set('eu-1', entry('1'));
      if (calls > 1) return;
      await eventually(() => expect([...engaged]).toEqual(['eu-1']));
      throw new Error('the registry is away');
    });
    const ran = tested.run(aware, end.signal);
    await eventually(() =>
      expect(reports.at(-1)).toContain('its provider failed and is retrying: the registry is away'),
    );
    expect(calls).toBe(1);
    await clock.advance(2_000);
    expect(calls).toBe(2);
    expect(reports.at(-1)).toBe('eu-1 Connecting: its provider runs again');
    expect([...engaged]).toEqual(['eu-1']);
    end.abort();
    await ran;
    expect([...engaged]).toEqual([]);
  });

  it('PV-3: the backoff is reset after a discovery has run for a minute', async () => {
    const { aware, lines, entry, clock, end, provider } = scene();
    const calls: number[] = [];
    const tested = await provider(async (clusters) => {
      clusters.set('eu-1', entry('1'));
      if (calls.push(clock.now()) === 7) await sleep(clock, 70_000, end.signal);
      throw new Error('the registry is away');
    });
    const ran = tested.run(aware, end.signal);
    await clock.advance(200_000);
    end.abort();
    await ran;
    const [before = 0, after = 0] = calls.slice(6);
    expect(after - before).toBeGreaterThan(70_000);
    expect(after - before).toBeLessThanOrEqual(71_001);
    expect(lines.slice(0, 7)).toEqual(['error', 'debug', 'debug', 'debug', 'debug', 'debug', 'error']);
  });

  it('a discovery that ends with the abort does not fail the provider', async () => {
    const { aware, end, provider } = scene();
    const tested = await provider((_clusters, signal) => sleep(systemClock, 60_000, signal));
    const ran = tested.run(aware, end.signal);
    end.abort();
    await expect(ran).resolves.toBeUndefined();
  });

  it('PV-3: a discovery that fails without any cluster fails the provider, which may run again', async () => {
    const { aware, entry, engaged, end, provider } = scene();
    let calls = 0;
    const tested = await provider(async (clusters) => {
      calls += 1;
      if (calls === 1) throw new Error('no such program');
      clusters.set('eu-1', entry('1'));
    });
    await expect(tested.run(aware, end.signal)).rejects.toThrow('no such program');
    const ran = tested.run(aware, end.signal);
    await eventually(() => expect([...engaged]).toEqual(['eu-1']));
    end.abort();
    await ran;
  });

  it('logs once per run that the first read of the inventory found no cluster', async () => {
    const { aware, lines, clock, end, provider } = scene();
    const line = 'no clusters found in the inventory {"path":"fleet.yaml"}';
    const tested = await provider(async () => undefined);
    for (const expected of [[line], [line, line]]) {
      const run = new AbortController();
      const ran = tested.run(aware, run.signal);
      await clock.advance(1);
      run.abort();
      await ran;
      expect(lines).toEqual(expected);
    }
    end.abort();
  });

  it('does not log an empty inventory if the first read found a cluster, usable or not', async () => {
    const { aware, lines, clock, end, provider } = scene();
    const tested = await provider(async (clusters) =>
      clusters.refuse('eu-1', new Error('its kubeconfig is not valid')),
    );
    const ran = tested.run(aware, end.signal);
    await clock.advance(1);
    end.abort();
    await ran;
    expect(lines).toEqual([]);
  });
});
