import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { it } from '@jest/globals';
import { ConfigMap, createClient, createOrUpdate, parseKubeconfig, Secret } from '@mcr/core';
import { createCapiProvider, createClusterController, ClusterResource } from '@mcr/provider-capi';
import { parse } from 'yaml';
import { createActuator } from '../backend/actuator.ts';
import type { Definition } from '../backend/site.ts';
import { scenario } from '../backend/stage.ts';
import { ObservedManager } from '../fleet/observed-manager.ts';
import { until } from '../until.ts';

/** Deadline in milliseconds: creating a Kind cluster takes a minute or more. */
const WITHIN = 300_000;
const needs = { capabilities: ['create-clusters'], definitions: ['clusters.cluster.k8s.io'] } as const;

scenario('cluster-lifecycle', needs, (stage) => {
  it(
    'CA-5: creates the cluster that a Cluster object describes, works in it, and deletes it',
    async () => {
      const { hub, namespace, stack } = stage();
      const manifest = fileURLToPath(import.meta.resolve('@mcr/provider-capi/manifests/cluster.k8s.io_clusters.yaml'));
      await hub.install(parse(await readFile(manifest, 'utf8')) as Definition);
      const actuator = await createActuator(stack);
      const provider = createCapiProvider({ apiVersions: ['cluster.k8s.io/v1alpha1'], namespace });
      const manager = await ObservedManager.start(stage(), provider, (each) =>
        createClusterController(each, actuator, { namespace }),
      );

      const key = hub.key('eu-1');
      const secretKey = hub.key('eu-1-kubeconfig');
      const clusterName = `${namespace}/eu-1`;
      await hub.client.create(ClusterResource, { metadata: key });
      stack.defer(() => removed(WITHIN));
      const kubeconfig = async () => (await hub.client.find(Secret, secretKey))?.data?.['value'];
      await until(async () => (await kubeconfig()) !== undefined, { within: WITHIN });
      await manager.reaches(clusterName, 'Engaged');

      const text = Buffer.from((await kubeconfig()) ?? '', 'base64').toString('utf8');
      await using member = createClient(parseKubeconfig(text, { policy: 'untrusted' }));
      const settings = { namespace: 'default', name: 'settings' };
      await createOrUpdate(member, ConfigMap, settings, (configMap) => {
        configMap.data = { input: 'a' };
      });
      await manager.saw(clusterName, settings, 'a');

      await removed(WITHIN);
      await manager.reaches(clusterName, 'Disengaged');

      /** Deletes the Cluster, and resolves once it is gone. */
      async function removed(within: number): Promise<void> {
        if (await hub.client.find(ClusterResource, key)) await hub.client.delete(ClusterResource, key);
        await until(async () => (await hub.client.find(ClusterResource, key)) === undefined, { within });
      }
    },
    3 * WITHIN,
  );
});
