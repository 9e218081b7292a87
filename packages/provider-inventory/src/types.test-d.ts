/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { Provider } from '@mcr/core';
import { createInventoryProvider } from './index.ts';

const execConfig = { apiVersion: 'client.authentication.k8s.io/v1', command: 'plugin' };

const provider: Provider = createInventoryProvider({
  accessProviders: [
    { name: 'oidc', execConfig, profileSourcedCLIArgsPolicy: 'Append', allowedArgs: ['-v', { pattern: '[a-z]+' }] },
  ],
  isReady: ({ status }) => status?.version?.kubernetes !== undefined,
  configure: (config) => ({ ...config, userAgent: 'carts/1' }),
});
void provider;
createInventoryProvider({ accessProviders: '/etc/fleet/providers.json' });
createInventoryProvider({ secret: { consumerName: 'carts' } });

// @ts-expect-error -- an access strategy is required
createInventoryProvider({});
// @ts-expect-error -- only one access strategy is allowed
createInventoryProvider({ accessProviders: 'providers.json', secret: { consumerName: 'carts' } });
// @ts-expect-error -- the policy is one of two values
createInventoryProvider({ accessProviders: [{ name: 'oidc', execConfig, profileSourcedCLIArgsPolicy: 'Replace' }] });
// @ts-expect-error -- unknown options are refused
createInventoryProvider({ secret: { consumerName: 'carts' }, secretKey: 'kubeconfig' });
