import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Logger } from '@mcr/client';
import { silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { eventually } from '../testing/eventually.ts';
import { InMemoryCluster } from '../testing/in-memory-cluster.ts';
import type { ClusterUpkeep } from './cluster-upkeep.ts';
import { createClusterUpkeep } from './cluster-upkeep.ts';
import { createManager } from './create-manager.ts';
import type { Manager } from './manager.ts';

const SECOND = 1_000;

describe('the upkeep of clusters', () => {
  const clock = new VirtualClock();
  let fleet: InMemoryProvider<InMemoryCluster>;
  let manager: Manager;
  let upkeep: ClusterUpkeep;
  let end: AbortController;
  let stopped: Promise<void>;
  const logger: Logger = {
    ...silentLogger,
    warn: (message, fields) => void (message === 'it failed' && warnings.push((fields?.['error'] as Error).message)),
    error: (message, fields) => void errors.push(`${message}: ${(fields?.['error'] as Error).message}`),
    child: () => logger,
  };
  let runs: string[];
  let ended: string[];
  let missing: boolean;
  /** Resolves when clusters answer. */
  let answer: Promise<void>;
  let warnings: string[];
  let errors: string[];
  /** Result of the filter for every cluster. Default: it decides by the labels. */
  let decision: Promise<boolean> | undefined;
  const broken = new Set<string>();

  beforeEach(async () => {
    [runs, ended, warnings, errors, missing, decision] = [[], [], [], [], false, undefined];
    broken.clear();
    answer = Promise.resolve();
    fleet = new InMemoryProvider();
    const options = { provider: fleet, config: 'none', logger, clock } as const;
    manager = await createManager({ ...options, metrics: { bindAddress: '0' } });
    upkeep = createClusterUpkeep({
      manager,
      description: 'a test',
      controller: 'test',
      parts: ['part'],
      failureMessage: 'it failed',
      group: 'leader-elected',
      engageLocal: false,
      isSelected: (_, cluster) => decision ?? cluster.info.labels['env'] !== 'test',
      retry: { base: SECOND, max: SECOND, jitter: 0 },
      checkInterval: 100 * SECOND,
      reconcile: async (task) => {
        runs.push(task.name);
        await answer;
        if (missing) task.wait('part', new Error('no definition yet'));
        else task.report('part', broken.has(task.name) ? new Error('refused') : undefined);
      },
      onLeft: async (name) => void ended.push(name),
    });
    await manager.add(upkeep);
    end = new AbortController();
    stopped = manager.start(end.signal);
  });
  afterEach(async () => {
    end.abort();
    await stopped;
  });

  async function join(name: string): Promise<InMemoryCluster> {
    const cluster = new InMemoryCluster({ name });
    cluster.describe({ labels: {}, properties: {} });
    fleet.set(name, cluster);
    await eventually(() => expect(upkeep.clusters.get(name)).toBe(cluster));
    await eventually(() => expect(runs).toContain(name));
    return cluster;
  }

  it('KS-5, WH-4: retries a cluster that failed, and not the others', async () => {
    broken.add('eu');
    await join('eu');
    await join('us');
    expect(manager.fleet.get('eu')).toMatchObject({ phase: 'Degraded', sources: { part: { synced: false } } });
    broken.clear();
    await clock.advance(SECOND);
    await eventually(() => expect(runs).toEqual(['eu', 'us', 'eu']));
    expect(manager.fleet.get('eu')?.sources['part']).toMatchObject({ synced: true });
  });

  it('KS-5, WH-4: shows a cluster as Syncing, and never as Engaged, until the first run has an answer', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answer = promise;
    await join('eu');
    const status = () => manager.fleet.get('eu');
    await eventually(() =>
      expect(status()).toMatchObject({ phase: 'Syncing', reason: 'part of controller test waits: the first check' }),
    );
    expect(status()?.history.map(({ phase }) => phase)).not.toContain('Engaged');
    resolve();
    await eventually(() => expect(status()).toMatchObject({ phase: 'Engaged', sources: { part: { synced: true } } }));
  });

  it('KS-5, WH-4: waits for what others create without a problem, and reports one after a minute', async () => {
    missing = true;
    await join('eu');
    const status = () => manager.fleet.get('eu');
    expect(status()).toMatchObject({ phase: 'Syncing', reason: 'part of controller test waits: no definition yet' });
    expect(status()).not.toHaveProperty('lastError');
    await clock.advance(59 * SECOND);
    expect(status()?.phase).toBe('Syncing');
    for (let second = 0; second < 3; second += 1) await clock.advance(SECOND);
    await eventually(() => expect(status()).toMatchObject({ phase: 'Degraded', lastError: 'no definition yet' }));
    expect(warnings).toEqual(['no definition yet']);
    missing = false;
    await clock.advance(SECOND);
    await eventually(() => expect(status()?.phase).toBe('Engaged'));
  });

  it('KS-5, WH-4: runs again after the check interval, and at once when asked to', async () => {
    await join('eu');
    await clock.advance(80 * SECOND);
    expect(runs).toHaveLength(1);
    await clock.advance(40 * SECOND);
    await eventually(() => expect(runs).toHaveLength(2));
    upkeep.runNow();
    await eventually(() => expect(runs).toHaveLength(3));
  });

  it('KS-5, WH-4: engages a cluster whose filter never decides after 10 s, and asks the filter again', async () => {
    decision = new Promise(() => undefined);
    fleet.set('eu', new InMemoryCluster({ name: 'eu' }));
    await eventually(() => expect(manager.fleet.get('eu')?.phase).toBe('Syncing'));
    await eventually(async () => {
      await clock.advance(SECOND);
      expect(manager.fleet.get('eu')?.phase).toBe('Engaged');
    });
    await clock.advance(60 * SECOND);
    const message = 'the cluster filter has not decided within 10000 ms: let its promise settle earlier';
    expect(errors).toEqual([`failed to select the cluster, retrying: ${message}`]);
    expect(runs).toEqual([]);
    decision = undefined;
    await clock.advance(20 * SECOND);
    await eventually(() => expect(runs).toEqual(['eu']));
  });

  it('KS-5, WH-4: does not wait for a filter of a cluster that leaves, and leaves no timer', async () => {
    decision = new Promise(() => undefined);
    fleet.set('eu', new InMemoryCluster({ name: 'eu' }));
    await eventually(() => expect(manager.fleet.get('eu')?.phase).toBe('Syncing'));
    await fleet.delete('eu');
    await eventually(() => expect(manager.fleet.get('eu')?.phase).toBe('Disengaged'));
    expect(errors).toEqual([]);
  });

  it('KS-5, WH-4: follows the selection, and notices clusters that leave, but not the end of the manager', async () => {
    const cluster = await join('eu');
    await join('us');
    await join('ap');
    cluster.describe({ labels: { env: 'test' }, properties: {} });
    await eventually(() => expect([...upkeep.clusters.keys()]).toEqual(['us', 'ap']));
    await clock.advance(30 * SECOND);
    await eventually(() => expect(ended).toEqual(['eu']));
    cluster.describe({ labels: {}, properties: {} });
    await eventually(() => expect(runs).toEqual(['eu', 'us', 'ap', 'eu']));
    await fleet.delete('us');
    await join('us');
    await fleet.delete('ap');
    await clock.advance(30 * SECOND);
    await eventually(() => expect(ended).toEqual(['eu', 'ap']));
    end.abort();
    await stopped;
    expect(ended).toEqual(['eu', 'ap']);
  });
});
