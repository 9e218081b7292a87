import { describe, expect, it } from '@jest/globals';
import type { Aware, Cluster, ClusterName, Manager, ObjectKey, Provider, Runnable } from '@mcr/core';
import { ConfigMap, createCluster, InMemoryProvider, isClusterNotFound, createManager, silentLogger } from '@mcr/core';
import { BaseProvider, Clusters, declarationOf, HubProvider, untilAborted } from '@mcr/core/provider';
import { eventually, InMemoryCluster, VirtualClock } from '@mcr/core/testing';
import { createMultiProvider, type MultiProvider } from './multi-provider.ts';

/** Records engagements and reports, in place of a manager. */
class Notes implements Aware {
  readonly engaged = new Map<string, Cluster>();
  readonly reports: string[] = [];

  async engage(name: string, cluster: Cluster, signal: AbortSignal): Promise<void> {
    this.engaged.set(name, cluster);
    signal.addEventListener('abort', () => this.engaged.delete(name), { once: true });
  }

  report(name: string, { reason }: { readonly reason: string }): void {
    this.reports.push(`${name}: ${reason}`);
  }

  get names(): string[] {
    return [...this.engaged.keys()].sort();
  }
}

function inMemory(...names: readonly string[]): InMemoryProvider<InMemoryCluster> {
  const provider = new InMemoryProvider<InMemoryCluster>();
  for (const name of names) provider.set(name, new InMemoryCluster({ name }));
  return provider;
}

/** A provider that engages its clusters and fails on request. Its clusters stay engaged until the signal aborts. */
class FailingProvider implements Provider {
  runs = 0;
  readonly #clusters = new Clusters<InMemoryCluster>();
  readonly #desired = new Map<ClusterName, InMemoryCluster>();
  #failure = Promise.withResolvers<never>();

  set(name: ClusterName, cluster: InMemoryCluster): void {
    this.#desired.set(name, cluster);
  }

  fail(error: Error): void {
    this.#failure.reject(error);
    this.#failure = Promise.withResolvers<never>();
  }

  async get(name: ClusterName): Promise<InMemoryCluster> {
    return this.#clusters.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.#clusters.clusterNames();
  }

  indexField: Provider['indexField'] = (...index) => this.#clusters.indexField(...index);

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    this.runs += 1;
    const desired = [...this.#desired].map(([name, cluster]) => [name, declarationOf(cluster)] as const);
    await this.#clusters.sync(new Map(desired), aware, signal);
    await Promise.race([untilAborted(signal), this.#failure.promise]);
    await this.#clusters.removeAll();
  }
}

async function running(multi: MultiProvider): Promise<{ notes: Notes; stop: () => Promise<void> }> {
  const notes = new Notes();
  const end = new AbortController();
  const run = multi.run(notes, end.signal);
  return {
    notes,
    stop: async () => {
      end.abort();
      await run;
    },
  };
}

const noColor = () => [];

describe('MultiProvider', () => {
  it('MU-1: keeps clusters with the same name of two providers apart', async () => {
    const multi = createMultiProvider();
    await multi.addProvider('aws', inMemory('eu-1'));
    await multi.addProvider('gcp', inMemory('eu-1', 'eu-2'));
    const { notes, stop } = await running(multi);
    await eventually(() => expect(notes.names).toEqual(['aws#eu-1', 'gcp#eu-1', 'gcp#eu-2']));
    expect(multi.clusterNames()).toEqual(['aws#eu-1', 'gcp#eu-1', 'gcp#eu-2']);
    expect(await multi.get('aws#eu-1')).toBe(notes.engaged.get('aws#eu-1'));
    expect(await multi.get('gcp#eu-1')).not.toBe(await multi.get('aws#eu-1'));
    await stop();
    expect(notes.names).toEqual([]);
    expect(multi.clusterNames()).toEqual([]);
  });

  it('MU-1: has the providers of its options, and takes none of them if one is refused', async () => {
    const [aws, gcp] = [inMemory('eu-1'), inMemory('eu-1')];
    expect(() => createMultiProvider({ providers: { aws, 'g#cp': gcp } })).toThrow(/g#cp/u);
    const multi = createMultiProvider({ providers: { aws, gcp } });
    const { notes, stop } = await running(multi);
    await eventually(() => {
      expect(notes.names).toEqual(['aws#eu-1', 'gcp#eu-1']);
    });
    await expect(multi.addProvider('other', aws)).rejects.toThrow('this provider already has the prefix "aws"');
    await stop();
  });

  it('MU-1: a provider can be added while it runs, and names are split at the first separator', async () => {
    const multi = createMultiProvider({ separator: '::' });
    const { notes, stop } = await running(multi);
    await multi.addProvider('files', inMemory('/etc/k::prod'));
    await eventually(() => expect(notes.names).toEqual(['files::/etc/k::prod']));
    expect((await multi.get('files::/etc/k::prod')).name).toBe('/etc/k::prod');
    await stop();
  });

  it('MU-1: refuses a prefix that is empty, taken or contains the separator, and an unknown option', async () => {
    const multi = createMultiProvider();
    await multi.addProvider('aws', inMemory());
    await expect(multi.addProvider('aws', inMemory())).rejects.toThrow('prefix "aws" is taken');
    await expect(multi.addProvider('a#b', inMemory())).rejects.toThrow('prefix "a#b" contains the separator "#"');
    await expect(multi.addProvider('', inMemory())).rejects.toThrow('expected a prefix');
    await expect(multi.addProvider('self', multi)).rejects.toThrow('cannot be added to itself');
    const provider = inMemory();
    await multi.addProvider('gcp', provider);
    await expect(multi.addProvider('gce', provider)).rejects.toThrow('this provider already has the prefix "gcp"');
    expect(() => createMultiProvider({ seperator: '/' } as never)).toThrow('unknown option "seperator"');
    expect(() => createMultiProvider({ separator: '' })).toThrow('option "separator": expected at least one character');
  });

  it.each<[string, readonly unknown[], string]>([
    [
      'a class',
      ['a', InMemoryProvider],
      'MultiProvider.addProvider: expected a Provider, which has get() and indexField(), found the class InMemoryProvider',
    ],
    [
      'an object that is not a provider',
      ['a', {}],
      'expected a Provider, which has get() and indexField(), found an object',
    ],
    ['no provider', ['a'], 'expected a Provider, which has get() and indexField(), found undefined'],
    ['a provider without a prefix', [inMemory()], 'expected a prefix first, found an object of class InMemoryProvider'],
    [
      'swapped arguments',
      [inMemory(), 'a'],
      "found an object of class InMemoryProvider: pass a string, as in addProvider('eu'",
    ],
  ])('MU-1: refuses %s', async (_, args, message) => {
    const multi = createMultiProvider();
    const add = multi.addProvider.bind(multi) as (...args: readonly unknown[]) => Promise<void>;
    await expect(add(...args)).rejects.toThrow(message);
    expect(multi.providers()).toEqual([]);
  });

  it('MU-1: refuses a prefix whose names would be split at another position', async () => {
    const multi = createMultiProvider({ separator: '--' });
    await expect(multi.addProvider('aws-', inMemory())).rejects.toThrow(
      'prefix "aws-" contains the separator "--" or its beginning',
    );
    await multi.addProvider('-aws', inMemory('eu-1'));
    const { notes, stop } = await running(multi);
    await eventually(() => expect(notes.names).toEqual(['-aws--eu-1']));
    await multi.get('-aws--eu-1');
    await stop();
  });

  it('MU-1: a provider that is added just before the run starts is run once', async () => {
    const multi = createMultiProvider();
    const provider = new FailingProvider();
    const added = multi.addProvider('aws', provider);
    const { stop } = await running(multi);
    await added;
    await eventually(() => expect(multi.providers()).toMatchObject([{ state: 'running' }]));
    expect(provider.runs).toBe(1);
    await stop();
  });

  it('MU-2: an index is added to the clusters of every provider, also of one that is added later', async () => {
    const cluster = () => createCluster({ server: 'https://member.invalid' });
    const indexed: string[] = [];
    const provider = (name: string): Provider => ({
      get: async () => cluster(),
      indexField: async (_kind, field) => void indexed.push(`${name} ${field}`),
    });
    const multi = createMultiProvider();
    await multi.addProvider('early', provider('early'));
    await multi.indexField(ConfigMap, 'color', noColor);
    await multi.indexField(ConfigMap, 'color', noColor);
    await multi.addProvider('late', provider('late'));
    expect(indexed).toEqual(['early color', 'late color']);

    const refusing: Provider = { ...provider('refusing'), indexField: () => Promise.reject(new Error('no indexes')) };
    await expect(multi.addProvider('refusing', refusing)).rejects.toThrow('no indexes');
    expect(multi.providers().map(({ prefix }) => prefix)).toEqual(['early', 'late']);
  });

  it('MU-2: an index that fails in one provider is reported, and added by the next call', async () => {
    const multi = createMultiProvider();
    const indexed: string[] = [];
    let failures = 1;
    await multi.addProvider('aws', {
      get: async (name) => new InMemoryCluster({ name }),
      indexField: async (_kind, field) => {
        if (failures-- > 0) throw new Error('not now');
        indexed.push(field);
      },
    });
    await expect(multi.indexField(ConfigMap, 'color', noColor)).rejects.toThrow('not now');
    await multi.indexField(ConfigMap, 'color', noColor);
    expect(indexed).toEqual(['color']);
  });

  it('MU-3: removing a provider disengages only its clusters, and its prefix can be used again', async () => {
    const multi = createMultiProvider();
    await multi.addProvider('aws', inMemory('eu-1'));
    await multi.addProvider('gcp', inMemory('eu-1'));
    const { notes, stop } = await running(multi);
    await eventually(() => expect(notes.names).toEqual(['aws#eu-1', 'gcp#eu-1']));
    await multi.removeProvider('aws');
    expect(notes.names).toEqual(['gcp#eu-1']);
    expect(await multi.get('aws#eu-1').catch(isClusterNotFound)).toBe(true);
    await multi.removeProvider('aws');
    await multi.addProvider('aws', inMemory('us-1'));
    await eventually(() => expect(notes.names).toEqual(['aws#us-1', 'gcp#eu-1']));
    await stop();
  });

  it('MU-3: the clusters of a removed provider are disengaged even if it does not do so', async () => {
    const multi = createMultiProvider();
    const never = new AbortController().signal;
    const careless: Provider = {
      get: async () => new InMemoryCluster(),
      indexField: async () => undefined,
      run: async (aware) => aware.engage('eu-1', new InMemoryCluster(), never),
    };
    await multi.addProvider('careless', careless);
    const { notes, stop } = await running(multi);
    await eventually(() => expect(multi.providers()).toMatchObject([{ prefix: 'careless', state: 'ended' }]));
    expect(notes.names).toEqual(['careless#eu-1']);
    await multi.removeProvider('careless');
    expect(notes.names).toEqual([]);
    await stop();
  });

  it('MU-3: a provider that fails is reported and restarted with backoff, and its clusters stay engaged', async () => {
    const clock = new VirtualClock();
    const multi = createMultiProvider();
    const failing = new FailingProvider();
    const eu1 = new InMemoryCluster({ name: 'eu-1' });
    failing.set('eu-1', eu1);
    await multi.addProvider('aws', failing);
    await multi.addProvider('gcp', inMemory('eu-1'));
    await multi.setupWithManager({ clock, logger: silentLogger } as unknown as Manager);
    const { notes, stop } = await running(multi);
    await eventually(() => expect(notes.names).toEqual(['aws#eu-1', 'gcp#eu-1']));

    failing.fail(new Error('quota exceeded'));
    await eventually(() => expect(multi.providers()).toMatchObject([{ state: 'failed' }, { state: 'running' }]));
    expect(multi.providers()[0]).toMatchObject({ prefix: 'aws', failures: 1, error: { message: 'quota exceeded' } });
    expect(notes.names).toEqual(['aws#eu-1', 'gcp#eu-1']);
    expect(notes.reports).toContain('aws#eu-1: its provider failed and is restarting: quota exceeded');
    expect(failing.runs).toBe(1);

    await clock.advance(1_000);
    await eventually(() => expect(multi.providers()[0]).toMatchObject({ state: 'running', failures: 1 }));
    expect(failing.runs).toBe(2);
    expect(notes.reports).toContain('aws#eu-1: its provider runs again');
    expect(await multi.get('aws#eu-1')).toBe(eu1);
    expect(notes.engaged.get('aws#eu-1')).toBe(eu1);
    await stop();
    expect(notes.names).toEqual([]);
  });

  it('MU-3: the clusters of a BaseProvider stay engaged when its discovery fails', async () => {
    const discoveries = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const clock = new VirtualClock();
    let discovered = 0;
    class RegistryProvider extends BaseProvider {
      protected async discover(): Promise<void> {
        const config = () => ({ server: 'https://eu-1.invalid' });
        this.clusters.set('eu-1', { digest: '1', config, info: { provider: 'registry' } });
        await discoveries[discovered++]?.promise;
      }
    }
    const newCluster = () => new InMemoryCluster({ name: 'eu-1' });
    const provider = new RegistryProvider({ clusterOptions: { clock }, newCluster });
    const multi = createMultiProvider();
    await multi.addProvider('registry', provider);
    const { notes, stop } = await running(multi);
    await eventually(() => expect(notes.names).toEqual(['registry#eu-1']));
    const cluster = await multi.get('registry#eu-1');
    discoveries[0]?.reject(new Error('the registry is away'));
    await eventually(() => expect(notes.reports.join()).toContain('is retrying: the registry is away'));
    await clock.advance(1_000);
    expect(discovered).toBe(2);
    discoveries[1]?.resolve();
    expect(notes.engaged.get('registry#eu-1')).toBe(cluster);
    await stop();
    expect(notes.names).toEqual([]);
  });

  it('MU-3: the additions of a hub provider to the manager are removed with it, also when its set-up failed', async () => {
    const manager = await createManager({
      config: { server: 'https://hub.invalid' },
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    const log: string[] = [];
    const runnable = (name: string): Runnable => ({
      async run(signal) {
        log.push(`${name} starts`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        log.push(`${name} stops`);
      },
    });
    let setUps = 0;
    const ofHub: Provider = {
      get: async () => new InMemoryCluster(),
      indexField: async () => undefined,
      async setupWithManager(scoped) {
        setUps += 1;
        scoped.claimControllerName('inventory');
        await scoped.add(runnable(`controller ${setUps}`));
        if (setUps === 1) throw new Error('the hub is away');
      },
      run: (_aware, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    };
    const multi = createMultiProvider();
    await multi.setupWithManager(manager);
    await multi.addProvider('hub', ofHub);
    const end = new AbortController();
    const started = manager.start(end.signal);
    const { stop } = await running(multi);
    await eventually(() => expect(log).toContain('controller 2 starts'));
    expect(log).toContain('controller 1 stops');
    expect(log).not.toContain('controller 2 stops');

    await multi.removeProvider('hub');
    await eventually(() => expect(log).toContain('controller 2 stops'));
    expect(() => manager.claimControllerName('inventory')).not.toThrow();
    await stop();
    end.abort();
    await started;
  });

  it('F-25, MU-3: a removed provider can be added again, also a hub provider', async () => {
    const runs: string[] = [];
    class TestProvider extends HubProvider {
      protected nameOf({ name }: ObjectKey): ClusterName {
        return name;
      }

      protected async reconcile(): Promise<void> {}

      override async run(aware: Aware, signal: AbortSignal): Promise<void> {
        runs.push('starts');
        await super.run(aware, signal);
        runs.push('ends');
      }
    }
    const ofHub = new TestProvider({ controllerName: 'hub-provider' });
    const multi = createMultiProvider();
    const manager = await createManager({
      config: { server: 'https://hub.invalid' },
      provider: multi,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    const end = new AbortController();
    const started = manager.start(end.signal);
    await multi.addProvider('one', ofHub);
    await eventually(() => expect(runs).toEqual(['starts']));
    await expect(createMultiProvider().addProvider('two', ofHub)).rejects.toThrow(
      'provider TestProvider is in use by a MultiProvider: create a new one, or remove it there first',
    );
    await multi.removeProvider('one');
    await multi.addProvider('two', ofHub);
    await eventually(() => expect(runs).toEqual(['starts', 'ends', 'starts']));
    expect(multi.providers()).toEqual([{ prefix: 'two', state: 'running', failures: 0 }]);
    end.abort();
    await started;
  });

  it('MU-3: a provider that ended runs again in the next run', async () => {
    const multi = createMultiProvider();
    let runs = 0;
    await multi.addProvider('aws', {
      get: async () => new InMemoryCluster(),
      indexField: async () => undefined,
      run: async () => void (runs += 1),
    });
    for (const times of [1, 2]) {
      const { stop } = await running(multi);
      await eventually(() => expect(multi.providers()).toMatchObject([{ state: 'ended' }]));
      expect(runs).toBe(times);
      await stop();
      expect(multi.providers()).toMatchObject([{ state: 'waiting' }]);
    }
  });

  it('MU-3: any rejection of a provider is reported', async () => {
    const clock = new VirtualClock();
    const multi = createMultiProvider();
    await multi.addProvider('aws', {
      get: async () => new InMemoryCluster(),
      indexField: async () => undefined,
      clusterNames: () => ['eu-1'],
      run: () => Promise.reject(undefined),
    });
    await multi.setupWithManager({ clock, logger: silentLogger } as unknown as Manager);
    const { notes, stop } = await running(multi);
    await eventually(() => expect(multi.providers()).toMatchObject([{ state: 'failed', failures: 1 }]));
    expect(multi.providers()[0]?.error).toBeInstanceOf(Error);
    expect(notes.reports).toEqual(['aws#eu-1: its provider failed and is restarting: undefined']);
    await stop();
  });

  it('MU-3: the backoff is reset after a provider has run for a minute', async () => {
    const clock = new VirtualClock();
    const multi = createMultiProvider();
    const failing = new FailingProvider();
    await multi.addProvider('aws', failing);
    await multi.setupWithManager({ clock, logger: silentLogger } as unknown as Manager);
    const { stop } = await running(multi);
    for (let failures = 1; failures <= 8; failures++) {
      await eventually(() => expect(failing.runs).toBe(failures));
      await clock.advance(60_000);
      failing.fail(new Error('quota exceeded'));
      await eventually(() => expect(multi.providers()).toMatchObject([{ state: 'failed', failures }]));
      await clock.advance(1_000);
    }
    await eventually(() => expect(failing.runs).toBe(9));
    await stop();
  });

  it('MU-3: a provider whose set-up hangs can be removed, and then claims no name', async () => {
    const manager = await createManager({
      config: { server: 'https://hub.invalid' },
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    const multi = createMultiProvider();
    await multi.setupWithManager(manager);
    const answers = Promise.withResolvers<void>();
    const claimed = Promise.withResolvers<unknown>();
    await multi.addProvider('hub', {
      get: async () => new InMemoryCluster(),
      indexField: async () => undefined,
      async setupWithManager(scoped) {
        await answers.promise;
        try {
          scoped.claimControllerName('inventory');
        } catch (error) {
          claimed.resolve(error);
        }
      },
    });
    const { stop } = await running(multi);
    await multi.removeProvider('hub');
    answers.resolve();
    expect(await claimed.promise).toMatchObject({ message: 'provider "hub" was removed' });
    expect(() => manager.claimControllerName('inventory')).not.toThrow();
    await stop();
  });

  it('MU-4: reports an unknown prefix, a name without a prefix and an unknown cluster under the requested name', async () => {
    const multi = createMultiProvider();
    await multi.addProvider('aws', inMemory());
    const refusal = (name: string) =>
      multi.get(name).then(
        () => undefined,
        (error: unknown) => error,
      );
    for (const name of ['gcp#eu-1', 'eu-1', 'aws#eu-1']) {
      expect(await refusal(name)).toMatchObject({ name: 'ClusterNotFoundError', clusterName: name });
    }
    expect(await refusal('gcp#eu-1')).toHaveProperty(
      'message',
      expect.stringContaining('no provider has the prefix "gcp"'),
    );
  });

  it('MU-4: a multi provider refuses the name of the local cluster', async () => {
    const refusal: unknown = await createMultiProvider()
      .get('')
      .catch((error: unknown) => error);
    expect(refusal).toHaveProperty(
      'message',
      expect.stringContaining('clusters of this fleet are named <prefix>#<name>'),
    );
  });
});
