import { createKindStandIn } from '@mcr/envtest';
import { describeProvider } from '@mcr/provider-conformance/jest';
import { createKindProvider } from './kind-provider.ts';

/** Each poll starts one process for each cluster, so the fleet of this test is small. */
describeProvider({
  name: 'kind',
  without: {
    relabel: 'Kind clusters have no labels',
    unready: 'a listed cluster is always ready',
    ready: 'a listed cluster is always ready',
    interrupt: 'no connection stays open between polls',
  },
  fleetSize: 20,
  setup: async () => {
    const kind = await createKindStandIn();
    /** The kubeconfig of each member's record, which `break` makes invalid in the line of the token. */
    const kubeconfigs = new Map<string, string>();
    /** A kubeconfig changes when the containers of a cluster are created again. */
    const recreate = async (name: string, kubeconfig: string) => {
      await kind.setKubeconfig(name, kubeconfig);
      await kind.emit('start', name);
    };
    return {
      createProvider: (options) => createKindProvider({ binary: kind.binary, pollInterval: 1_000, ...options }),
      add: async ({ name, kubeconfig }) => {
        kubeconfigs.set(name, kubeconfig);
        await kind.list(name);
        await kind.setKubeconfig(name, kubeconfig);
      },
      change: async ({ name, kubeconfig }) => {
        kubeconfigs.set(name, kubeconfig);
        await recreate(name, kubeconfig);
      },
      remove: (name) => kind.delete(name),
      break: (name) => recreate(name, (kubeconfigs.get(name) ?? '').replace('"token": ', '"token": @')),
      outage: () => kind.failEngine(),
      dispose: () => kind.stop(),
    };
  },
});
