/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import { createCluster, type Provider } from '@mcr/core';
import { ALL_NAMESPACES, createNamespaceProvider } from './index.ts';

const provider: Provider = createNamespaceProvider({
  cluster: createCluster({ server: 'https://hub.invalid' }),
  labelSelector: 'tenant=true',
});
void provider.get(ALL_NAMESPACES);

// @ts-expect-error -- unknown options are refused
createNamespaceProvider({ namespaces: ['a'] });
// @ts-expect-error -- the option is a cluster, not a configuration
createNamespaceProvider({ cluster: { server: 'https://hub.invalid' } });
