import { createClient, Namespace, Secret } from '@mcr/core';
import { describeProvider } from '@mcr/provider-conformance/jest';
import { createCapiProvider } from './capi-provider.ts';
import { clusterApi } from './cluster-api.ts';
import { capiDefinition } from './manifests.fixture.ts';

const { kind: Cluster } = clusterApi('v1beta2');
const namespace = 'fleet';

describeProvider({
  name: 'capi',
  crds: [capiDefinition(['v1beta2', 'v1beta1'])],
  async setup({ hub }) {
    const client = createClient(hub.config);
    await client.create(Namespace, { metadata: { name: namespace } });
    const ofSecret = (name: string) => ({ namespace, name: `${name}-kubeconfig` });
    const setReady = (name: string, controlPlaneInitialized: boolean) =>
      client.status.patch(
        Cluster,
        { namespace, name },
        { status: { initialization: { controlPlaneInitialized } } },
        'merge',
      );
    const setKubeconfig = (name: string, value: string) =>
      client.patch(Secret, ofSecret(name), { stringData: { value } }, 'merge');
    /** The kubeconfig of each member's record, which `break` makes invalid in the line of the token. */
    const kubeconfigs = new Map<string, string>();
    return {
      createProvider: (options) => createCapiProvider({ namespace, ...options }),
      async add({ name, labels, kubeconfig }) {
        kubeconfigs.set(name, kubeconfig);
        await client.create(Secret, {
          metadata: { ...ofSecret(name), labels: { 'cluster.x-k8s.io/cluster-name': name } },
          stringData: { value: kubeconfig },
        });
        await client.create(Cluster, { metadata: { namespace, name, labels } });
        await setReady(name, true);
      },
      async remove(name) {
        await client.deleteCollection(Cluster, { namespace, fieldSelector: `metadata.name=${name}` });
        await client.deleteCollection(Secret, { namespace, fieldSelector: `metadata.name=${ofSecret(name).name}` });
      },
      async change({ name, kubeconfig }) {
        kubeconfigs.set(name, kubeconfig);
        await setKubeconfig(name, kubeconfig);
      },
      relabel: async ({ name, labels }) =>
        void (await client.patch(
          Cluster,
          { namespace, name },
          [{ op: 'replace', path: '/metadata/labels', value: labels }],
          'json',
        )),
      break: async (name) =>
        void (await setKubeconfig(name, (kubeconfigs.get(name) ?? '').replace('"token": ', '"token": @'))),
      unready: async (name) => void (await setReady(name, false)),
      ready: async (name) => void (await setReady(name, true)),
      async outage() {
        await hub.suspend();
        return () => hub.resume();
      },
      interrupt: () => hub.endWatches(),
      clusterName: (name) => `${namespace}/${name}`,
      dispose: () => client.close(),
    };
  },
});
