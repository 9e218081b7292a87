import { Secret } from '@mcr/core';
import { describeProvider } from '@mcr/provider-conformance/jest';
import { Inventory } from './inventory.fixture.ts';
import { createInventoryProvider } from './inventory-provider.ts';
import { clusterProfileDefinition } from './manifests.fixture.ts';

describeProvider({
  name: 'inventory, with kubeconfigs in Secrets',
  crds: [clusterProfileDefinition],
  setup: async ({ hub }) => {
    const inventory = await Inventory.in(hub);
    const { namespace } = Inventory;
    const { client } = inventory;
    const setKubeconfig = async (name: string, text: string) =>
      void (await client.patch(Secret, { namespace, name }, { stringData: { Config: text } }, 'merge'));
    /** The kubeconfig of each member's record, which `break` makes invalid in the line of the token. */
    const kubeconfigs = new Map<string, string>();
    return {
      ...inventory.setup,
      createProvider: (options) =>
        createInventoryProvider({ secret: { consumerName: 'suite' }, namespace, unhealthyGrace: 0, ...options }),
      async add({ name, labels, kubeconfig }) {
        kubeconfigs.set(name, kubeconfig);
        const secretLabels = { 'x-k8s.io/cluster-profile': name, 'x-k8s.io/cluster-inventory-consumer': 'suite' };
        await client.create(Secret, {
          metadata: { namespace, name, labels: secretLabels },
          stringData: { Config: kubeconfig },
        });
        await inventory.add({ name, labels });
        await inventory.setHealthy(name, 'True');
      },
      async remove(name) {
        await inventory.remove(name);
        await client.deleteCollection(Secret, { namespace, fieldSelector: `metadata.name=${name}` });
      },
      async change({ name, kubeconfig }) {
        kubeconfigs.set(name, kubeconfig);
        await setKubeconfig(name, kubeconfig);
      },
      break: (name) => setKubeconfig(name, (kubeconfigs.get(name) ?? '').replace('"token": ', '"token": @')),
    };
  },
});
