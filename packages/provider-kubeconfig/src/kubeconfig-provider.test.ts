import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Clock, Cluster, ClusterStatus, Manager, Provider } from '@mcr/core';
import {
  ConfigMap,
  Namespace,
  Secret,
  controllerManagedBy,
  createCluster,
  createLogger,
  createManager,
  silentLogger,
  systemClock,
} from '@mcr/core';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { startFleet } from '@mcr/envtest';
import { KubeconfigProvider } from './kubeconfig-provider.ts';
import type { KubeconfigProviderOptions } from './options.ts';

const NAMESPACE = 'fleet';
const LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the kubeconfig provider', () => {
  let fleet: ControlPlaneFleet;
  /** What whoever looks after the hub uses. */
  let hub: Cluster;
  let hubEnd: AbortController;
  let hubRuns: Promise<void>;
  let one: ControlPlaneFleet['hub'];
  let two: ControlPlaneFleet['hub'];

  let provider: KubeconfigProvider;
  let manager: Manager;
  let end: AbortController;
  let started: Promise<void> | undefined;
  let lines: string[];

  beforeAll(async () => {
    fleet = await startFleet({ members: 2 });
    const [first, second] = fleet.members;
    if (!first || !second) throw new Error('expected two members');
    [one, two] = [first, second];
    hub = createCluster(fleet.hub.config);
    hubEnd = new AbortController();
    hubRuns = hub.run(hubEnd.signal);
    await hub.client.create(Namespace, { metadata: { name: NAMESPACE } });
  });

  afterAll(async () => {
    hubEnd.abort();
    await hubRuns;
    await fleet.stop();
  });

  beforeEach(async () => {
    end = new AbortController();
    started = undefined;
    lines = [];
    provider = new KubeconfigProvider({ namespace: NAMESPACE });
    manager = await newManager(provider);
  });

  afterEach(async () => {
    end.abort();
    await started;
    const secrets = await hub.apiReader.list(Secret, { namespace: NAMESPACE });
    for (const { metadata } of secrets.items) await hub.client.delete(Secret, { ...metadata, namespace: NAMESPACE });
  });

  const newManager = (withProvider: Provider, clock = systemClock) =>
    createManager({
      clock,
      config: fleet.hub.config,
      provider: withProvider,
      metrics: { bindAddress: '0' },
      logger: createLogger({ level: 'debug', format: 'json', destination: { write: (line) => lines.push(line) } }),
    });

  const start = () => {
    started = manager.start(end.signal);
  };

  /** A Secret that makes a cluster, unless `more` takes away what it needs for that. */
  const createSecret = (
    name: string,
    kubeconfig: string,
    more: { labels?: Record<string, string>; namespace?: string; finalizers?: string[] } = {},
  ) =>
    hub.client.create(Secret, {
      metadata: {
        name,
        namespace: more.namespace ?? NAMESPACE,
        labels: more.labels ?? { [LABEL]: 'true' },
        ...(more.finalizers && { finalizers: more.finalizers }),
      },
      data: { kubeconfig: base64(kubeconfig) },
    });

  const patchSecret = (name: string, patch: object) =>
    hub.client.patch(Secret, { namespace: NAMESPACE, name }, patch, 'merge');

  const deleteSecret = (name: string) => hub.client.delete(Secret, { namespace: NAMESPACE, name });

  /** Resolves with the status of a cluster, as soon as it is as expected. */
  const until = async (name: string, isExpected: (status: ClusterStatus) => boolean): Promise<ClusterStatus> => {
    const left = new AbortController();
    const changes = manager.fleet.changes(left.signal);
    try {
      const now = manager.fleet.get(name);
      if (now && isExpected(now)) return now;
      for await (const status of changes) if (status.name === name && isExpected(status)) return status;
      throw new Error('unreachable: the changes end with the signal only');
    } finally {
      left.abort();
    }
  };

  const engaged = (name: string) => until(name, ({ phase }) => phase === 'Engaged');

  /** The provider reads Secrets in order: once it has made a cluster of a new one, it has read those before. */
  const everythingRead = async (marker = 'marker') => {
    await createSecret(marker, one.kubeconfig);
    await engaged(marker);
  };

  it('KC-1: makes a cluster of each labelled Secret of its namespace, and is sent no other', async () => {
    await createSecret('labelled', one.kubeconfig);
    await createSecret('no-label', one.kubeconfig, { labels: {} });
    await createSecret('label-false', one.kubeconfig, { labels: { [LABEL]: 'false' } });
    await createSecret('elsewhere', one.kubeconfig, { namespace: 'default' });
    start();
    await engaged('labelled');
    await everythingRead();
    expect(provider.clusterNames()).toEqual(['labelled', 'marker']);
    const informer = await manager.localManager.cluster.cache.informer(Secret, {
      namespaces: [NAMESPACE],
      labelSelector: `${LABEL}=true`,
    });
    expect(informer.store.list().map(({ metadata }) => metadata.name)).toEqual(['labelled', 'marker']);
    await hub.client.delete(Secret, { namespace: 'default', name: 'elsewhere' });
  });

  it('KC-1: reads the Secrets, label and key that its options name', async () => {
    provider = new KubeconfigProvider({
      namespace: 'default',
      secretLabel: 'example.com/member',
      secretKey: 'value',
      configure: (config) => ({ ...config, userAgent: 'copier' }),
    });
    manager = await newManager(provider);
    await hub.client.create(Secret, {
      metadata: { name: 'eu-1', namespace: 'default', labels: { 'example.com/member': 'true', env: 'prod' } },
      data: { value: base64(one.kubeconfig) },
    });
    start();
    await engaged('eu-1');
    const cluster = await manager.getCluster('eu-1');
    expect(cluster.config).toMatchObject({ server: one.config.server, userAgent: 'copier' });
    expect(cluster.info).toMatchObject({ provider: 'kubeconfig', labels: { env: 'prod' } });
    expect(cluster.info.version).toMatch(/^v1\./);
    await hub.client.delete(Secret, { namespace: 'default', name: 'eu-1' });
  });

  it('reconciles the objects of its clusters, from their first ones on', async () => {
    const seen = Promise.withResolvers<string>();
    await controllerManagedBy(manager)
      .named('seen')
      .for(ConfigMap)
      .complete(async (request, { cluster }) => {
        const { client } = await cluster();
        const { data } = await client.get(ConfigMap, request);
        if (request.name === 'greeting') seen.resolve(`${request.clusterName}: ${String(data?.['text'])}`);
      });
    const member = createCluster(one.config);
    await member.client.create(ConfigMap, {
      metadata: { name: 'greeting', namespace: 'default' },
      data: { text: 'hello' },
    });
    await member.run(AbortSignal.abort());
    await createSecret('eu-1', one.kubeconfig);
    start();
    expect(await seen.promise).toBe('eu-1: hello');
  });

  it('KC-2: keeps a cluster on its last good kubeconfig, says so once, and takes the next good one', async () => {
    await createSecret('eu-1', one.kubeconfig);
    start();
    await engaged('eu-1');
    const cluster = await provider.get('eu-1');

    await patchSecret('eu-1', { data: { kubeconfig: base64('clusters: [') } });
    const broken = await until('eu-1', ({ reason }) => reason.includes('cannot be used'));
    expect(broken).toMatchObject({ phase: 'Engaged', reason: expect.stringContaining('is kept as it was before') });
    expect(await provider.get('eu-1')).toBe(cluster);
    await patchSecret('eu-1', { metadata: { annotations: { touched: 'yes' } } });
    await everythingRead();
    expect(lines.filter((line) => line.includes('cannot be used'))).toHaveLength(1);

    await patchSecret('eu-1', { data: { kubeconfig: base64(one.kubeconfig) } });
    await until('eu-1', ({ reason }) => reason.includes('can be used again'));
    expect(await provider.get('eu-1')).toBe(cluster);
  });

  it('KC-2: drops a cluster whose key is gone', async () => {
    await createSecret('eu-1', one.kubeconfig);
    start();
    await engaged('eu-1');
    await patchSecret('eu-1', { data: { kubeconfig: null } });
    const status = await until('eu-1', ({ phase }) => phase === 'Disengaged');
    expect(status.reason).toBe('its Secret fleet/eu-1 has no key "kubeconfig"');
    await expect(manager.getCluster('eu-1')).rejects.toThrow('not engaged');

    await patchSecret('eu-1', { data: { kubeconfig: base64(one.kubeconfig) } });
    await engaged('eu-1');
  });

  it('KC-2: says what is wrong with a Secret that never made a cluster', async () => {
    await createSecret('empty', '');
    await hub.client.create(Secret, {
      metadata: { name: 'keyless', namespace: NAMESPACE, labels: { [LABEL]: 'true' } },
      data: { other: base64(one.kubeconfig) },
    });
    start();
    await until('empty', ({ phase, reason }) => phase === 'Unreachable' && reason.includes('cannot be used'));
    await until(
      'keyless',
      ({ phase, reason }) => phase === 'Unreachable' && reason.includes('has no key "kubeconfig"'),
    );
    await patchSecret('empty', { data: { kubeconfig: base64(one.kubeconfig) } });
    await engaged('empty');
  });

  it('KC-3: does nothing when only metadata changes', async () => {
    await createSecret('eu-1', one.kubeconfig);
    start();
    const before = await engaged('eu-1');
    const cluster = await provider.get('eu-1');
    await patchSecret('eu-1', { metadata: { annotations: { touched: 'yes' }, labels: { env: 'prod' } } });
    await everythingRead();
    expect(await provider.get('eu-1')).toBe(cluster);
    expect(manager.fleet.get('eu-1')?.history).toEqual(before.history);
  });

  it('CT-11: a cluster has the labels of its Secret, and is chosen again when they change', async () => {
    await createSecret('eu-1', one.kubeconfig);
    const seen = Promise.withResolvers<string>();
    await controllerManagedBy(manager)
      .for(Namespace, { engage: { clusterSelector: 'env=prod' } })
      .complete(async ({ clusterName }) => seen.resolve(clusterName));
    start();
    await engaged('eu-1');
    const cluster = await provider.get('eu-1');
    await patchSecret('eu-1', { metadata: { labels: { env: 'prod' } } });
    expect(await seen.promise).toBe('eu-1');
    expect(await provider.get('eu-1')).toBe(cluster);
  });

  it('KC-4: rotates in place when only the credentials differ', async () => {
    const [first, second] = [await one.issueToken(), await one.issueToken()];
    await createSecret('eu-1', first.kubeconfig);
    start();
    await engaged('eu-1');
    const cluster = await provider.get('eu-1');
    await patchSecret('eu-1', { data: { kubeconfig: base64(second.kubeconfig) } });
    await until('eu-1', ({ reason }) => reason === 'its credentials were rotated in place');
    await one.revokeToken(first);
    expect(await provider.get('eu-1')).toBe(cluster);
    await cluster.apiReader.get(Namespace, { name: 'default' });
    expect(manager.fleet.get('eu-1')?.history.map(({ phase }) => phase)).not.toContain('Disengaged');
  });

  it('KC-4: engages another endpoint anew under the same name', async () => {
    await createSecret('eu-1', one.kubeconfig);
    start();
    await engaged('eu-1');
    const before = await provider.get('eu-1');
    await patchSecret('eu-1', { data: { kubeconfig: base64(two.kubeconfig) } });
    await until('eu-1', ({ history }) => history.some(({ phase }) => phase === 'Disengaged'));
    await engaged('eu-1');
    const after = await manager.getCluster('eu-1');
    expect(after).not.toBe(before);
    expect(after.config.server).toBe(two.config.server);
  });

  it('KC-5: disengages a cluster when its Secret is deleted, is being deleted, or loses its label', async () => {
    await createSecret('deleted', one.kubeconfig);
    await createSecret('deleting', one.kubeconfig, { finalizers: ['example.com/wait'] });
    await createSecret('unlabelled', one.kubeconfig);
    await createSecret('stays', one.kubeconfig);
    start();
    for (const name of ['deleted', 'deleting', 'unlabelled', 'stays']) await engaged(name);

    await deleteSecret('deleted');
    await deleteSecret('deleting');
    await patchSecret('unlabelled', { metadata: { labels: { [LABEL]: null } } });
    const reasonOf = async (name: string) => (await until(name, ({ phase }) => phase === 'Disengaged')).reason;
    expect(await reasonOf('deleted')).toBe('its Secret fleet/deleted was deleted, or has lost its label');
    expect(await reasonOf('deleting')).toBe('its Secret fleet/deleting is being deleted');
    expect(await reasonOf('unlabelled')).toBe('its Secret fleet/unlabelled was deleted, or has lost its label');
    expect(provider.clusterNames()).toEqual(['stays']);
    await patchSecret('deleting', { metadata: { finalizers: null } });
  });

  it('KC-5: shows a Secret that never made a cluster as gone when it is deleted', async () => {
    await createSecret('empty', '');
    await hub.client.create(Secret, {
      metadata: { name: 'keyless', namespace: NAMESPACE, labels: { [LABEL]: 'true' } },
      data: {},
    });
    start();
    for (const name of ['empty', 'keyless']) await until(name, ({ phase }) => phase === 'Unreachable');
    for (const name of ['empty', 'keyless']) {
      await deleteSecret(name);
      const { reason } = await until(name, ({ phase }) => phase === 'Disengaged');
      expect(reason).toBe(`its Secret fleet/${name} was deleted, or has lost its label`);
    }
  });

  it('PV-3: engages a cluster again that somebody refused', async () => {
    const hurried: Clock = {
      ...systemClock,
      now: () => systemClock.now() * 50,
      schedule: (delay, callback) => systemClock.schedule(delay / 50, callback),
    };
    manager = await newManager(provider, hurried);
    await createSecret('eu-1', one.kubeconfig);
    let refusals = 0;
    await manager.add({
      run: async () => undefined,
      engage: async (name) => {
        if (name === 'eu-1' && refusals++ === 0) throw new Error('not now');
      },
    });
    start();
    await until('eu-1', ({ phase, reason }) => phase === 'Disengaged' && reason.includes('not now'));
    await engaged('eu-1');
  });

  it('KC-6: is set up by the user as it is by the manager, once', async () => {
    await createSecret('eu-1', one.kubeconfig);
    await provider.setupWithManager(manager);
    await provider.setupWithManager(manager);
    start();
    await engaged('eu-1');
    const another = await newManager(provider);
    await expect(provider.setupWithManager(another)).rejects.toThrow('serves another manager');
  });

  it('KC-6: serves beside another one with another namespace', async () => {
    const providers = [
      provider,
      new KubeconfigProvider({ namespace: 'default', controllerName: 'kubeconfig-provider-default' }),
    ] as const;
    const both: Provider = {
      get: (name) => providers[0].get(name).catch(() => providers[1].get(name)),
      indexField: async (...index) => void (await Promise.all(providers.map((each) => each.indexField(...index)))),
      setupWithManager: async (to) => void (await Promise.all(providers.map((each) => each.setupWithManager(to)))),
      run: async (aware, signal) => void (await Promise.all(providers.map((each) => each.run(aware, signal)))),
    };
    manager = await newManager(both);
    await createSecret('of-fleet', one.kubeconfig);
    await createSecret('of-default', two.kubeconfig, { namespace: 'default' });
    start();
    await engaged('of-fleet');
    await engaged('of-default');
    expect(providers.map((each) => each.clusterNames())).toEqual([['of-fleet'], ['of-default']]);
    await hub.client.delete(Secret, { namespace: 'default', name: 'of-default' });
  });

  it('CT-15: has clusters in a process that does not lead when somebody there works without leading, and else none', async () => {
    await createSecret('eu-1', one.kubeconfig);
    const leaderElection = { id: 'standby', namespace: NAMESPACE };
    const settings = { config: fleet.hub.config, leaderElection, logger: silentLogger, metrics: { bindAddress: '0' } };
    const idle = new KubeconfigProvider({ namespace: NAMESPACE });
    const leader = await createManager(settings);
    const managers = [
      await createManager({ ...settings, provider: idle }),
      await createManager({ ...settings, provider }),
    ];
    const [idleManager, workingManager] = managers;
    if (!idleManager || !workingManager) throw new Error('expected two managers');
    await controllerManagedBy(idleManager)
      .for(Namespace)
      .complete(async () => undefined);
    const seen = Promise.withResolvers<string>();
    await controllerManagedBy(workingManager)
      .for(Namespace)
      .withOptions({ needLeaderElection: false })
      .complete(async ({ clusterName }) => seen.resolve(clusterName));
    const running = [leader.start(end.signal)];
    await leader.elected;
    running.push(...managers.map((each) => each.start(end.signal)));

    expect(await seen.promise).toBe('eu-1');
    expect(workingManager.isLeader()).toBe(false);
    expect(idle.clusterNames()).toEqual([]);
    end.abort();
    await Promise.all(running);
  });

  it('PV-4: lets no bad Secret keep a good one from its cluster, and shows what is wrong with each', async () => {
    const refused = one.kubeconfig.replace(/server: .*/, 'server: https://127.0.0.1:1');
    const revoked = await one.issueToken();
    await one.revokeToken(revoked);
    await createSecret('a-garbage', '}{');
    await createSecret('a-refused', refused);
    await createSecret('a-revoked', revoked.kubeconfig);
    await createSecret('good', one.kubeconfig);
    start();
    await engaged('good');
    const reasonOf = async (name: string) => (await until(name, ({ phase }) => phase === 'Unreachable')).reason;
    expect(await reasonOf('a-garbage')).toContain('the kubeconfig in its Secret cannot be used');
    expect(await reasonOf('a-refused')).toContain('127.0.0.1:1: connection refused');
    expect(await reasonOf('a-revoked')).toContain('refuses the credentials');
    expect(provider.clusterNames()).toEqual(['good']);

    await patchSecret('a-revoked', { data: { kubeconfig: base64(one.kubeconfig) } });
    await engaged('a-revoked');
  });

  it('S-4: no credential of a member is in any log line or in the fleet', async () => {
    const { config, kubeconfig } = await one.issueToken();
    const token = config.auth?.type === 'token' ? config.auth.token : undefined;
    expect(token).toMatch(/.{8,}/);
    await createSecret('eu-1', kubeconfig);
    start();
    await engaged('eu-1');
    await patchSecret('eu-1', { data: { kubeconfig: base64(`${kubeconfig}\n: [`) } });
    await until('eu-1', ({ reason }) => reason.includes('cannot be used'));
    await one.revokeToken({ config });
    await patchSecret('eu-1', { data: { kubeconfig: base64(kubeconfig.replace('127.0.0.1', 'localhost')) } });
    await until('eu-1', ({ reason }) => reason.includes('not in use yet'));
    end.abort();
    await started;
    const everything = [...lines, JSON.stringify(manager.fleet.list())].join('\n');
    expect(everything).toContain('eu-1');
    expect(everything).not.toContain(token);
  });

  it('MG-8: leaves nothing behind when the manager has stopped', async () => {
    await createSecret('eu-1', one.kubeconfig);
    await createSecret('refused', one.kubeconfig.replace(/server: .*/, 'server: https://127.0.0.1:1'));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@mcr/source', fileURLToPath(new URL('./run-and-stop.fixture.ts', import.meta.url))],
      { env: { ...process.env, HUB: JSON.stringify(fleet.hub.config), NAMESPACE } },
    );
    // The program ends by itself: nothing kept its event loop alive.
    const { before, during, after } = JSON.parse(stdout) as Record<'before' | 'during' | 'after', string[]>;
    expect(during).toContain('TCPSocketWrap');
    expect(after).toEqual(before);
  });

  it.each<[string, object, string]>([
    ['no namespace', {}, 'option "namespace": expected the namespace of the hub'],
    ['an unknown option', { namespace: 'x', label: 'y' }, 'KubeconfigProvider: unknown option "label"'],
    ['an unknown policy', { namespace: 'x', policy: 'lax' }, 'option "policy": '],
    ['an unknown option for clusters', { namespace: 'x', clusterOptions: { qps: 1 } }, '"clusterOptions.qps"'],
  ])('refuses %s', (_, options, message) => {
    expect(() => new KubeconfigProvider(options as KubeconfigProviderOptions)).toThrow(message);
  });
});
