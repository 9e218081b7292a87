import { createClient, isNotFound, Namespace, Secret } from '@mcr/core';
import type { Member } from '@mcr/provider-conformance/jest';
import { describeProvider } from '@mcr/provider-conformance/jest';
import { createKubeconfigProvider } from './kubeconfig-provider.ts';

const NAMESPACE = 'fleet';
const LABEL = 'sigs.k8s.io/multicluster-runtime-kubeconfig';

describeProvider({
  name: 'kubeconfig',
  without: {
    unready: 'a Secret is all of a record',
    ready: 'a Secret is all of a record',
  },
  setup: async ({ hub }) => {
    const client = createClient(hub.config);
    await client.create(Namespace, { metadata: { name: NAMESPACE } });
    const secretOf = ({ name, labels, kubeconfig }: Member) => ({
      metadata: { namespace: NAMESPACE, name, labels: { ...labels, [LABEL]: 'true' } },
      data: { kubeconfig: Buffer.from(kubeconfig).toString('base64') },
    });
    const patch = (name: string, change: object) =>
      client.patch(Secret, { namespace: NAMESPACE, name }, change, 'merge');
    return {
      createProvider: (options) => createKubeconfigProvider({ namespace: NAMESPACE, ...options }),
      add: async (member) => void (await client.create(Secret, secretOf(member))),
      change: async (member) => void (await patch(member.name, secretOf(member))),
      relabel: async (member) => void (await patch(member.name, { metadata: secretOf(member).metadata })),
      // Invalid YAML in the line of the token.
      async break(name) {
        const { data } = await client.get(Secret, { namespace: NAMESPACE, name });
        const kubeconfig = Buffer.from(data?.['kubeconfig'] ?? '', 'base64').toString();
        const broken = kubeconfig.replace('"token": ', '"token": @');
        await patch(name, { data: { kubeconfig: Buffer.from(broken).toString('base64') } });
      },
      remove: async (name) => {
        await client.delete(Secret, { namespace: NAMESPACE, name }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      },
      outage: async () => {
        await hub.suspend();
        return () => hub.resume();
      },
      interrupt: () => hub.endWatches(),
      dispose: () => client.close(),
    };
  },
});
