import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigMap, controllerManagedBy, createCluster, Namespace, Secret } from '@mcr/core';
import { createKubeconfigProvider } from './kubeconfig-provider.ts';
import { base64, Hub, LABEL, NAMESPACE } from './scene.fixture.ts';

describe('KubeconfigProvider', () => {
  let hub: Hub;
  beforeAll(async () => {
    hub = await Hub.start();
  });
  afterAll(() => hub.stop());
  afterEach(() => hub.deleteSecrets());

  it('KC-1: discovers a cluster for each labelled Secret of its namespace, and receives no other Secret', async () => {
    await using scene = await hub.scene();
    await hub.createSecret('labelled', hub.one.kubeconfig);
    await hub.createSecret('no-label', hub.one.kubeconfig, { labels: {} });
    await hub.createSecret('label-false', hub.one.kubeconfig, { labels: { [LABEL]: 'false' } });
    await hub.createSecret('elsewhere', hub.one.kubeconfig, { namespace: 'default' });
    scene.start();
    await scene.engaged('labelled');
    await scene.everythingRead();
    expect(scene.provider.clusterNames?.()).toEqual(['labelled', 'marker']);
    const informer = await scene.manager.localManager.cluster.cache.informer(Secret, {
      namespaces: [NAMESPACE],
      labelSelector: `${LABEL}=true`,
    });
    expect(informer.store.list().map(({ metadata }) => metadata.name)).toEqual(['labelled', 'marker']);
    await hub.deleteSecret('elsewhere', 'default');
  });

  it('KC-1: reads the namespace, label and key that its options name', async () => {
    const provider = createKubeconfigProvider({
      namespace: 'default',
      secretLabel: 'example.com/member',
      secretKey: 'value',
      configure: (config) => ({ ...config, userAgent: 'copier' }),
    });
    await using scene = await hub.scene({ provider });
    const labels = { 'example.com/member': 'true', env: 'prod' };
    await hub.createSecret('eu-1', hub.one.kubeconfig, { namespace: 'default', key: 'value', labels });
    scene.start();
    await scene.engaged('eu-1');
    const cluster = await scene.manager.getCluster('eu-1');
    expect(cluster.config).toMatchObject({ server: hub.one.config.server, userAgent: 'copier' });
    expect(cluster.info).toMatchObject({ provider: 'kubeconfig', labels: { env: 'prod' } });
    expect(cluster.info.version).toMatch(/^v1\./);
    await hub.deleteSecret('eu-1', 'default');
  });

  it('its clusters are reconciled, including their initial objects', async () => {
    await using scene = await hub.scene();
    const seen = Promise.withResolvers<string>();
    await controllerManagedBy(scene.manager)
      .named('seen')
      .for(ConfigMap)
      .complete(async (request, { cluster }) => {
        const { client } = await cluster();
        const { data } = await client.get(ConfigMap, request);
        if (request.name === 'greeting') seen.resolve(`${request.clusterName}: ${String(data?.['text'])}`);
      });
    const member = createCluster(hub.one.config);
    await member.client.create(ConfigMap, {
      metadata: { name: 'greeting', namespace: 'default' },
      data: { text: 'hello' },
    });
    await member.run(AbortSignal.abort());
    await hub.createSecret('eu-1', hub.one.kubeconfig);
    scene.start();
    expect(await seen.promise).toBe('eu-1: hello');
  });

  it('KC-2: keeps the last good kubeconfig of a cluster, reports this once, and applies the next valid one', async () => {
    await using scene = await hub.scene();
    await hub.createSecret('eu-1', hub.one.kubeconfig);
    scene.start();
    await scene.engaged('eu-1');
    const cluster = await scene.provider.get('eu-1');

    await hub.patchSecret('eu-1', { data: { kubeconfig: base64('clusters: [') } });
    const broken = await scene.until('eu-1', ({ reason }) => reason.includes('cannot be used'));
    expect(broken).toMatchObject({
      phase: 'Engaged',
      reason: expect.stringContaining('keeps its last good configuration'),
    });
    expect(await scene.provider.get('eu-1')).toBe(cluster);
    await hub.patchSecret('eu-1', { metadata: { annotations: { touched: 'yes' } } });
    await scene.everythingRead();
    expect(scene.lines.filter((line) => line.includes('cannot be used'))).toHaveLength(1);

    await hub.patchSecret('eu-1', { data: { kubeconfig: base64(hub.one.kubeconfig) } });
    await scene.until('eu-1', ({ reason }) => reason.includes('can be used again'));
    expect(await scene.provider.get('eu-1')).toBe(cluster);
  });

  it('KC-2: disengages a cluster whose key was removed', async () => {
    await using scene = await hub.scene();
    await hub.createSecret('eu-1', hub.one.kubeconfig);
    scene.start();
    await scene.engaged('eu-1');
    await hub.patchSecret('eu-1', { data: { kubeconfig: null } });
    const status = await scene.until('eu-1', ({ phase }) => phase === 'Disengaged');
    expect(status.reason).toBe('its Secret fleet/eu-1 has no key "kubeconfig"');
    await expect(scene.manager.getCluster('eu-1')).rejects.toThrow('not engaged');

    await hub.patchSecret('eu-1', { data: { kubeconfig: base64(hub.one.kubeconfig) } });
    await scene.engaged('eu-1');
  });

  it('KC-2: reports the problem of a Secret that never had a cluster', async () => {
    await using scene = await hub.scene();
    await hub.createSecret('empty', '');
    await hub.createSecret('keyless', hub.one.kubeconfig, { key: 'other' });
    scene.start();
    await scene.until('empty', ({ phase, reason }) => phase === 'Unreachable' && reason.includes('cannot be used'));
    await scene.until(
      'keyless',
      ({ phase, reason }) => phase === 'Unreachable' && reason.includes('has no key "kubeconfig"'),
    );
    await hub.patchSecret('empty', { data: { kubeconfig: base64(hub.one.kubeconfig) } });
    await scene.engaged('empty');
  });

  it('KC-3: does nothing when only metadata changes', async () => {
    await using scene = await hub.scene();
    await hub.createSecret('eu-1', hub.one.kubeconfig);
    scene.start();
    const before = await scene.engaged('eu-1');
    const cluster = await scene.provider.get('eu-1');
    await hub.patchSecret('eu-1', { metadata: { annotations: { touched: 'yes' }, labels: { env: 'prod' } } });
    await scene.everythingRead();
    expect(await scene.provider.get('eu-1')).toBe(cluster);
    expect(scene.manager.fleet.get('eu-1')?.history).toEqual(before.history);
  });

  it('CT-11: a cluster has the labels of its Secret, and filters are applied again when they change', async () => {
    await using scene = await hub.scene();
    await hub.createSecret('eu-1', hub.one.kubeconfig);
    const seen = Promise.withResolvers<string>();
    await controllerManagedBy(scene.manager)
      .for(Namespace, { engage: { clusterSelector: 'env=prod' } })
      .complete(async ({ clusterName }) => seen.resolve(clusterName));
    scene.start();
    await scene.engaged('eu-1');
    const cluster = await scene.provider.get('eu-1');
    await hub.patchSecret('eu-1', { metadata: { labels: { env: 'prod' } } });
    expect(await seen.promise).toBe('eu-1');
    expect(await scene.provider.get('eu-1')).toBe(cluster);
  });

  it('KC-4: rotates in place when only the credentials differ', async () => {
    await using scene = await hub.scene();
    const [first, second] = [await hub.one.issueToken(), await hub.one.issueToken()];
    await hub.createSecret('eu-1', first.kubeconfig);
    scene.start();
    await scene.engaged('eu-1');
    const cluster = await scene.provider.get('eu-1');
    await hub.patchSecret('eu-1', { data: { kubeconfig: base64(second.kubeconfig) } });
    await scene.until('eu-1', ({ reason }) => reason === 'its credentials were rotated in place');
    await hub.one.revokeToken(first);
    expect(await scene.provider.get('eu-1')).toBe(cluster);
    await cluster.apiReader.get(Namespace, { name: 'default' });
    expect(scene.manager.fleet.get('eu-1')?.history.map(({ phase }) => phase)).not.toContain('Disengaged');
  });

  it('KC-4: engages another endpoint under the same name', async () => {
    await using scene = await hub.scene();
    await hub.createSecret('eu-1', hub.one.kubeconfig);
    scene.start();
    await scene.engaged('eu-1');
    const before = await scene.provider.get('eu-1');
    await hub.patchSecret('eu-1', { data: { kubeconfig: base64(hub.two.kubeconfig) } });
    await scene.until('eu-1', ({ history }) => history.some(({ phase }) => phase === 'Disengaged'));
    await scene.engaged('eu-1');
    const after = await scene.manager.getCluster('eu-1');
    expect(after).not.toBe(before);
    expect(after.config.server).toBe(hub.two.config.server);
  });

  it('KC-5: disengages a cluster when its Secret is deleted, is being deleted, or loses its label', async () => {
    await using scene = await hub.scene();
    await hub.createSecret('deleted', hub.one.kubeconfig);
    await hub.createSecret('deleting', hub.one.kubeconfig, { finalizers: ['example.com/wait'] });
    await hub.createSecret('unlabelled', hub.one.kubeconfig);
    await hub.createSecret('stays', hub.one.kubeconfig);
    scene.start();
    for (const name of ['deleted', 'deleting', 'unlabelled', 'stays']) await scene.engaged(name);

    await hub.deleteSecret('deleted');
    await hub.deleteSecret('deleting');
    await hub.patchSecret('unlabelled', { metadata: { labels: { [LABEL]: null } } });
    const reasonOf = async (name: string) => (await scene.until(name, ({ phase }) => phase === 'Disengaged')).reason;
    expect(await reasonOf('deleted')).toBe('its Secret fleet/deleted was deleted, or has lost its label');
    expect(await reasonOf('deleting')).toBe('its Secret fleet/deleting is being deleted');
    expect(await reasonOf('unlabelled')).toBe('its Secret fleet/unlabelled was deleted, or has lost its label');
    expect(scene.provider.clusterNames?.()).toEqual(['stays']);
    await hub.patchSecret('deleting', { metadata: { finalizers: null } });
  });

  it('KC-5: reports the deletion of a Secret that never had a cluster', async () => {
    await using scene = await hub.scene();
    await hub.createSecret('empty', '');
    await hub.createSecret('keyless', hub.one.kubeconfig, { key: 'other' });
    scene.start();
    for (const name of ['empty', 'keyless']) await scene.until(name, ({ phase }) => phase === 'Unreachable');
    for (const name of ['empty', 'keyless']) {
      await hub.deleteSecret(name);
      const { reason } = await scene.until(name, ({ phase }) => phase === 'Disengaged');
      expect(reason).toBe(`its Secret fleet/${name} was deleted, or has lost its label`);
    }
  });
});
