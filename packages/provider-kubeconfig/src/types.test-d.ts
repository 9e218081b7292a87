/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { Provider } from '@mcr/core';
import { createKubeconfigProvider } from './index.ts';

const provider: Provider = createKubeconfigProvider({
  namespace: 'fleet',
  policy: 'trusted',
  configure: (config) => ({ ...config, userAgent: 'carts/1' }),
});
void provider;

// @ts-expect-error -- the namespace is required
createKubeconfigProvider({});
// @ts-expect-error -- unknown options are refused
createKubeconfigProvider({ namespace: 'fleet', labelSelector: 'fleet=true' });
// @ts-expect-error -- the policy is one of two values
createKubeconfigProvider({ namespace: 'fleet', policy: 'lenient' });
createKubeconfigProvider({
  namespace: 'fleet',
  // @ts-expect-error -- clusters are named after their Secrets
  clusterOptions: { name: 'eu-1' },
});
