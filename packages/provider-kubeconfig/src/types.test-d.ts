/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { Provider } from '@mcr/core';
import { createKubeconfigProvider } from './index.ts';

const provider: Provider = createKubeconfigProvider({
  namespace: 'fleet',
  policy: 'trusted',
  configure: (config) => ({ ...config, userAgent: 'carts/1' }),
});
void provider;

// @ts-expect-error -- where the Secrets are has to be said
createKubeconfigProvider({});
// @ts-expect-error -- an unknown option is refused
createKubeconfigProvider({ namespace: 'fleet', labelSelector: 'fleet=true' });
// @ts-expect-error -- a policy is one of two texts
createKubeconfigProvider({ namespace: 'fleet', policy: 'lenient' });
createKubeconfigProvider({
  namespace: 'fleet',
  // @ts-expect-error -- the names of the members are those of their Secrets
  clusterOptions: { name: 'eu-1' },
});
