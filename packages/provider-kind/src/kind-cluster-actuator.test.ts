import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, Namespace, parseKubeconfig } from '@mcr/core';
import { createKindStandIn, type KindStandIn } from '@mcr/envtest';
import { createKindClusterActuator, type KindClusterActuator } from './kind-cluster-actuator.ts';

describe('KindClusterActuator', () => {
  let standIn: KindStandIn;
  let actuator: KindClusterActuator;
  const { signal } = new AbortController();
  beforeAll(async () => {
    standIn = await createKindStandIn();
    actuator = createKindClusterActuator({ binary: standIn.binary });
  });
  afterAll(() => standIn.stop());

  const described = (name: string, value?: unknown) => ({
    metadata: { namespace: 'fleet', name },
    spec: { providerSpec: { value } },
  });

  it('CA-5: creates a cluster once, and deletes it', async () => {
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

  it('S-8: Clusters of two namespaces never share a Kind cluster', async () => {
    const ofTeam = { metadata: { namespace: 'team', name: 'a-b' } };
    const ofTeamA = { metadata: { namespace: 'team-a', name: 'b' } };
    const made = await actuator.reconcile(ofTeam, { signal });
    expect((await actuator.reconcile(ofTeamA, { signal })).kubeconfig).not.toBe(made.kubeconfig);
    await actuator.delete(ofTeamA, { signal });
    expect(await actuator.reconcile(ofTeam, { signal })).toEqual(made);
    await actuator.delete(ofTeam, { signal });
  });

  it('S-8: names that are too long for Kind are shortened, and stay distinct', async () => {
    const long = 'a'.repeat(60);
    const [one, two] = [`${long}-1`, `${long}-2`].map((name) => ({ metadata: { namespace: 'fleet', name } }));
    if (!one || !two) throw new Error('expected two');
    await actuator.reconcile(one, { signal });
    await actuator.reconcile(two, { signal });
    const names = await standIn.names();
    expect(names).toHaveLength(2);
    for (const name of names) {
      expect(name).toMatch(/^fleet-a+-[0-9a-f]{16}$/);
      expect(`${name}-control-plane`.length).toBeLessThanOrEqual(63);
    }
    for (const each of [one, two]) await actuator.delete(each, { signal });
    expect(await standIn.names()).toEqual([]);
  });

  it('CA-5: deletes and creates a cluster again whose creation was interrupted', async () => {
    const { kubeconfig } = await actuator.reconcile(described('eu-3'), { signal });
    const [name = ''] = await standIn.names();
    await standIn.delete(name);
    // The state after the creating process was killed.
    await standIn.list(name);
    const again = await actuator.reconcile(described('eu-3'), { signal });
    expect(again.kubeconfig).not.toBe(kubeconfig);
    await using client = createClient(parseKubeconfig(again.kubeconfig, { policy: 'untrusted' }));
    await client.get(Namespace, { name: 'default' });
    await actuator.delete(described('eu-3'), { signal });
  });

  it('CA-5: does not delete a cluster that has stopped', async () => {
    const { apiEndpoints } = await actuator.reconcile(described('eu-4'), { signal });
    const [name = ''] = await standIn.names();
    await standIn.setKubeconfig(name, undefined);
    const made = { ...described('eu-4'), status: { apiEndpoints } };
    await expect(actuator.reconcile(made, { signal })).rejects.toThrow('failed to get cluster internal kubeconfig');
    expect(await standIn.names()).toEqual([name]);
    await actuator.delete(described('eu-4'), { signal });
  });

  it.each([
    ['has stopped', 'Error response from daemon: container 5f1c is not running'],
    ['does not answer for a moment', 'OCI runtime exec failed: exec failed: unable to start container process'],
  ])(
    'CA-5: a cluster that %s is not deleted, even though its status does not tell that it was made',
    async (_, why) => {
      const { kubeconfig } = await actuator.reconcile(described('eu-5'), { signal });
      const [name = ''] = await standIn.names();
      const binary = join(standIn.bin, 'kind-of-a-stopped-node');
      const script = `#!/bin/sh\nif [ "$1 $2" = 'get kubeconfig' ]; then echo '${why}' >&2; exit 1; fi\nexec '${standIn.binary}' "$@"\n`;
      await writeFile(binary, script, { mode: 0o755 });
      const another = createKindClusterActuator({ binary });
      await expect(another.reconcile(described('eu-5'), { signal })).rejects.toThrow(why);
      expect(await standIn.names()).toEqual([name]);
      expect((await actuator.reconcile(described('eu-5'), { signal })).kubeconfig).toBe(kubeconfig);
      await actuator.delete(described('eu-5'), { signal });
    },
  );

  it('CA-5: refuses an invalid spec and names its field', async () => {
    await expect(actuator.reconcile(described('eu-2', { image: 3 }), { signal })).rejects.toThrow(
      /spec\.providerSpec\.value: .*\n.*image/,
    );
  });
});
