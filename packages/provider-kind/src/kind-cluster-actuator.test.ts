import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, Namespace, parseKubeconfig } from '@mcr/core';
import { KindStandIn } from '@mcr/envtest';
import { KindClusterActuator } from './kind-cluster-actuator.ts';

describe('KindClusterActuator', () => {
  let standIn: KindStandIn;
  let actuator: KindClusterActuator;
  const { signal } = new AbortController();
  beforeAll(async () => {
    standIn = await KindStandIn.start();
    actuator = new KindClusterActuator({ binary: standIn.binary });
  });
  afterAll(() => standIn.stop());

  const described = (name: string, value?: unknown) => ({
    metadata: { namespace: 'fleet', name },
    spec: { providerSpec: { value } },
  });

  it('CA-5: a cluster that is described is made once, and deleted', async () => {
    const made = await actuator.reconcile(described('eu-1'), { signal });
    expect(await actuator.reconcile(described('eu-1'), { signal })).toEqual(made);
    const config = parseKubeconfig(made.kubeconfig, { policy: 'untrusted' });
    const { hostname: host, port } = new URL(config.server);
    expect(made.apiEndpoints).toEqual([{ host, port: Number(port) }]);
    await using client = createClient(config);
    await client.get(Namespace, { name: 'default' });

    expect(await actuator.delete(described('eu-1'), { signal })).toBe(true);
    expect(await actuator.delete(described('eu-1'), { signal })).toBe(true);
    await expect(client.get(Namespace, { name: 'default' }, { retry: 'never' })).rejects.toThrow();
  });

  it('S-8: Clusters of two namespaces are never one Kind cluster', async () => {
    const ofTeam = { metadata: { namespace: 'team', name: 'a-b' } };
    const ofTeamA = { metadata: { namespace: 'team-a', name: 'b' } };
    const made = await actuator.reconcile(ofTeam, { signal });
    expect((await actuator.reconcile(ofTeamA, { signal })).kubeconfig).not.toBe(made.kubeconfig);
    await actuator.delete(ofTeamA, { signal });
    expect(await actuator.reconcile(ofTeam, { signal })).toEqual(made);
    await actuator.delete(ofTeam, { signal });
  });

  it('CA-5: a spec that cannot be used is refused with its field', async () => {
    await expect(actuator.reconcile(described('eu-2', { image: 3 }), { signal })).rejects.toThrow(
      /spec\.providerSpec\.value: .*\n.*image/,
    );
  });
});
