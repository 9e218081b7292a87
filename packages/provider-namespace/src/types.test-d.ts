/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import { createCluster, type Provider } from '@mcr/core';
import { ALL_NAMESPACES, NamespaceProvider } from './index.ts';

const provider: Provider = new NamespaceProvider({
  cluster: createCluster({ server: 'https://hub.invalid' }),
  labelSelector: 'tenant=true',
});
void provider.get(ALL_NAMESPACES);

// @ts-expect-error -- an unknown option is refused
new NamespaceProvider({ namespaces: ['a'] });
// @ts-expect-error -- a cluster is what createCluster makes, not how to reach one
new NamespaceProvider({ cluster: { server: 'https://hub.invalid' } });
