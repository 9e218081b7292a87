import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Clock, Provider } from '@mcr/core';
import { controllerManagedBy, createManager, Namespace, silentLogger, systemClock } from '@mcr/core';
import { createKubeconfigProvider } from './kubeconfig-provider.ts';
import type { KubeconfigProviderOptions } from './options.ts';
import { base64, Hub, NAMESPACE } from './scene.fixture.ts';

describe('KubeconfigProvider in a manager', () => {
  let hub: Hub;
  beforeAll(async () => {
    hub = await Hub.start();
  });
  afterAll(() => hub.stop());
  afterEach(() => hub.deleteSecrets());

  it('PV-5: engages a cluster again after its engagement was refused', async () => {
    const hurried: Clock = {
      ...systemClock,
      now: () => systemClock.now() * 50,
      schedule: (delay, callback) => systemClock.schedule(delay / 50, callback),
    };
    await using scene = await hub.scene({ clock: hurried });
    await hub.createSecret('eu-1', hub.one.kubeconfig);
    let refusals = 0;
    await scene.manager.add({
      run: async () => undefined,
      engage: async (name) => {
        if (name === 'eu-1' && refusals++ === 0) throw new Error('not now');
      },
    });
    scene.start();
    await scene.until('eu-1', ({ phase, reason }) => phase === 'Disengaged' && reason.includes('not now'));
    await scene.engaged('eu-1');
  });

  it('F-25, KC-6: the user or the manager sets it up, and the next manager can use it after the first one has stopped', async () => {
    const provider = createKubeconfigProvider({ namespace: NAMESPACE });
    await hub.createSecret('eu-1', hub.one.kubeconfig);
    {
      await using scene = await hub.scene({ provider });
      await provider.setupWithManager(scene.manager);
      await provider.setupWithManager(scene.manager);
      scene.start();
      await scene.engaged('eu-1');
      const refusal = 'provider KubeconfigProvider is in use by another manager';
      await expect(hub.scene({ provider })).rejects.toThrow(refusal);
      await using another = await hub.scene();
      await expect(provider.setupWithManager(another.manager)).rejects.toThrow(refusal);
      expect(provider.clusterNames()).toEqual(['eu-1']);
    }
    await using next = await hub.scene({ provider });
    next.start();
    await next.engaged('eu-1');
  });

  it('KC-6: runs beside another provider with another namespace', async () => {
    const providers = [
      createKubeconfigProvider({ namespace: NAMESPACE }),
      createKubeconfigProvider({ namespace: 'default', controllerName: 'kubeconfig-provider-default' }),
    ] as const;
    const both: Provider = {
      get: (name) => providers[0].get(name).catch(() => providers[1].get(name)),
      indexField: async (...index) => void (await Promise.all(providers.map((each) => each.indexField(...index)))),
      setupWithManager: async (to) => void (await Promise.all(providers.map((each) => each.setupWithManager(to)))),
      run: async (aware, signal) => void (await Promise.all(providers.map((each) => each.run(aware, signal)))),
    };
    await using scene = await hub.scene({ provider: both });
    await hub.createSecret('of-fleet', hub.one.kubeconfig);
    await hub.createSecret('of-default', hub.two.kubeconfig, { namespace: 'default' });
    scene.start();
    await scene.engaged('of-fleet');
    await scene.engaged('of-default');
    expect(providers.map((each) => each.clusterNames())).toEqual([['of-fleet'], ['of-default']]);
    await hub.deleteSecret('of-default', 'default');
  });

  it('CT-15: discovers clusters in a process that does not lead only if a controller there works without leading', async () => {
    await using scene = await hub.scene();
    await hub.createSecret('eu-1', hub.one.kubeconfig);
    const leaderElection = { id: 'standby', namespace: NAMESPACE };
    const settings = { config: hub.config, leaderElection, logger: silentLogger, metrics: { bindAddress: '0' } };
    const idle = createKubeconfigProvider({ namespace: NAMESPACE });
    const leader = await createManager(settings);
    const managers = [
      await createManager({ ...settings, provider: idle }),
      await createManager({ ...settings, provider: createKubeconfigProvider({ namespace: NAMESPACE }) }),
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
    const running = [leader.start(scene.signal)];
    await leader.elected;
    running.push(...managers.map((each) => each.start(scene.signal)));

    expect(await seen.promise).toBe('eu-1');
    expect(workingManager.isLeader()).toBe(false);
    expect(idle.clusterNames()).toEqual([]);
    await scene.stop();
    await Promise.all(running);
  });

  it('PV-4: engages the clusters of valid Secrets beside invalid ones, and reports the problem of each', async () => {
    await using scene = await hub.scene();
    const refused = hub.one.kubeconfig.replace(/server: .*/, 'server: https://127.0.0.1:1');
    const revoked = await hub.one.issueToken();
    await hub.one.revokeToken(revoked);
    await hub.createSecret('a-garbage', '}{');
    await hub.createSecret('a-refused', refused);
    await hub.createSecret('a-revoked', revoked.kubeconfig);
    await hub.createSecret('good', hub.one.kubeconfig);
    scene.start();
    await scene.engaged('good');
    const reasonOf = async (name: string) => (await scene.until(name, ({ phase }) => phase === 'Unreachable')).reason;
    expect(await reasonOf('a-garbage')).toContain('the kubeconfig in its Secret cannot be used');
    expect(await reasonOf('a-refused')).toContain('127.0.0.1:1: connection refused');
    expect(await reasonOf('a-revoked')).toContain('refuses the credentials');
    expect(scene.provider.clusterNames?.()).toEqual(['good']);

    await hub.patchSecret('a-revoked', { data: { kubeconfig: base64(hub.one.kubeconfig) } });
    await scene.engaged('a-revoked');
  });

  it('S-4: no log line and no fleet status contains a credential of a member', async () => {
    await using scene = await hub.scene();
    const { config, kubeconfig } = await hub.one.issueToken();
    const token = config.auth?.type === 'token' ? config.auth.token : undefined;
    expect(token).toMatch(/.{8,}/);
    await hub.createSecret('eu-1', kubeconfig);
    scene.start();
    await scene.engaged('eu-1');
    await hub.patchSecret('eu-1', { data: { kubeconfig: base64(`${kubeconfig}\n: [`) } });
    await scene.until('eu-1', ({ reason }) => reason.includes('cannot be used'));
    await hub.one.revokeToken({ config });
    await hub.patchSecret('eu-1', { data: { kubeconfig: base64(kubeconfig.replace('127.0.0.1', 'localhost')) } });
    await scene.until('eu-1', ({ reason }) => reason.includes('not in use yet'));
    await scene.stop();
    const everything = [...scene.lines, JSON.stringify(scene.manager.fleet.list())].join('\n');
    expect(everything).toContain('eu-1');
    expect(everything).not.toContain(token);
  });

  it('MG-8: leaves nothing behind when the manager has stopped', async () => {
    await hub.createSecret('eu-1', hub.one.kubeconfig);
    await hub.createSecret('refused', hub.one.kubeconfig.replace(/server: .*/, 'server: https://127.0.0.1:1'));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@mcr/source', fileURLToPath(new URL('./run-and-stop.fixture.ts', import.meta.url))],
      { env: { ...process.env, HUB: JSON.stringify(hub.config), NAMESPACE } },
    );
    // The program exits: nothing keeps its event loop alive.
    const { before, during, after } = JSON.parse(stdout) as Record<'before' | 'during' | 'after', string[]>;
    expect(during).toContain('TCPSocketWrap');
    expect(after).toEqual(before);
  });

  it.each<[string, object, string]>([
    ['no namespace', {}, 'option "namespace": expected a namespace, which is'],
    ['an unknown option', { namespace: 'x', label: 'y' }, 'KubeconfigProvider: unknown option "label"'],
    ['an unknown policy', { namespace: 'x', policy: 'lax' }, 'option "policy": '],
    ['an unknown option for clusters', { namespace: 'x', clusterOptions: { qps: 1 } }, '"clusterOptions.qps"'],
  ])('refuses %s', (_, options, message) => {
    expect(() => createKubeconfigProvider(options as KubeconfigProviderOptions)).toThrow(message);
  });
});
