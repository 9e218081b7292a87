import { createClient, Namespace } from '@mcr/core';
import { describeProvider } from '@mcr/provider-conformance/jest';
import { createNamespaceProvider } from './namespace-provider.ts';

describeProvider({
  name: 'namespace',
  without: {
    change: 'a namespace is all of a record',
    break: 'a namespace is all of a record',
    unready: 'a namespace is all of a record',
    ready: 'a namespace is all of a record',
  },
  members: 'virtual',
  async setup({ hub }) {
    const client = createClient(hub.config);
    return {
      createProvider: () => createNamespaceProvider({ labelSelector: 'member' }),
      add: async ({ name, labels }) =>
        void (await client.create(Namespace, { metadata: { name, labels: { ...labels, member: 'true' } } })),
      async remove(name) {
        if (await client.find(Namespace, { name })) await client.delete(Namespace, { name });
      },
      relabel: async ({ name, labels }) =>
        void (await client.patch(
          Namespace,
          { name },
          [{ op: 'replace', path: '/metadata/labels', value: { ...labels, member: 'true' } }],
          'json',
        )),
      async outage() {
        await hub.suspend();
        return () => hub.resume();
      },
      interrupt: () => hub.endWatches(),
      dispose: () => client.close(),
    };
  },
});
