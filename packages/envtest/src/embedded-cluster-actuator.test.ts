import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, Namespace } from '@mcr/client';
import { createEmbeddedApiServer, type EmbeddedApiServer } from './embedded-api-server.ts';
import { createEmbeddedClusterActuator } from './embedded-cluster-actuator.ts';

describe('EmbeddedClusterActuator', () => {
  let server: EmbeddedApiServer;
  beforeAll(async () => {
    server = await createEmbeddedApiServer();
  });
  afterAll(() => server.stop());

  const described = (name: string, value?: unknown) => ({
    metadata: { namespace: 'fleet', name },
    spec: { providerSpec: { value } },
  });

  it('CA-5: a described cluster is created once, and deleted with its description', async () => {
    const actuator = createEmbeddedClusterActuator(server);
    const [first, second] = await Promise.all([
      actuator.reconcile(described('eu-1')),
      actuator.reconcile(described('eu-1')),
    ]);
    expect(first).toEqual(second);
    const controlPlane = await actuator.controlPlane(described('eu-1'));
    if (!controlPlane) throw new Error('expected a control plane');
    const { hostname: host, port } = new URL(controlPlane.config.server);
    expect(first.apiEndpoints).toEqual([{ host, port: Number(port) }]);
    await using client = createClient(controlPlane.config);
    expect((await client.get(Namespace, { name: 'default' })).metadata.name).toBe('default');

    expect(await actuator.delete(described('eu-1'))).toBe(true);
    expect(await actuator.controlPlane(described('eu-1'))).toBeUndefined();
    await expect(client.get(Namespace, { name: 'default' })).rejects.toThrow();
    expect(await actuator.delete(described('eu-1'))).toBe(true);
    const again = await actuator.reconcile(described('eu-1'));
    expect(again.kubeconfig).not.toBe(first.kubeconfig);
  });

  it('S-8: clusters of two namespaces, or with long names, never share a control plane', async () => {
    const actuator = createEmbeddedClusterActuator(server);
    const long = 'a'.repeat(60);
    const keys = [
      { namespace: 'team', name: 'a-b' },
      { namespace: 'team-a', name: 'b' },
      { namespace: 'team', name: `${long}-1` },
      { namespace: 'team', name: `${long}-2` },
    ];
    const made = await Promise.all(keys.map((metadata) => actuator.reconcile({ metadata })));
    expect(new Set(made.map(({ kubeconfig }) => kubeconfig)).size).toBe(keys.length);
    for (const metadata of keys) await actuator.delete({ metadata });
  });

  it('CA-5: new credentials are issued for the same control plane when the spec requests them', async () => {
    const actuator = createEmbeddedClusterActuator(server);
    const before = await actuator.reconcile(described('eu-2'));
    const after = await actuator.reconcile(described('eu-2', { credentials: 1 }));
    expect(after.apiEndpoints).toEqual(before.apiEndpoints);
    expect(after.kubeconfig).not.toBe(before.kubeconfig);
    expect(await actuator.reconcile(described('eu-2', { credentials: 1 }))).toEqual(after);
  });

  it('CA-5: an invalid spec is refused with the name of its field', async () => {
    const actuator = createEmbeddedClusterActuator(server);
    await expect(actuator.reconcile(described('eu-3', { credentials: 'new' }))).rejects.toThrow(
      /spec\.providerSpec\.value: .*\n.*credentials/,
    );
    await expect(actuator.reconcile(described('eu-3', { machines: 3 }))).rejects.toThrow('machines');
    await expect(actuator.reconcile(described('Not a label'))).rejects.toThrow();
    expect(await actuator.controlPlane(described('eu-3'))).toBeUndefined();
  });
});
