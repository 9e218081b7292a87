/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import { InMemoryProvider } from '@mcr/core';
import { conformanceSuite } from './index.ts';
import type { ProviderSetup } from './index.ts';

const least: ProviderSetup = {
  createProvider: () => new InMemoryProvider(),
  add: async ({ kubeconfig }) => void kubeconfig,
  remove: async () => undefined,
};
conformanceSuite({ name: 'least', setup: async () => least });
conformanceSuite({
  name: 'virtual',
  members: 'virtual',
  setup: async ({ hub }) => ({ ...least, interrupt: () => hub.endWatches() }),
});

// @ts-expect-error -- add is required
const withoutAdd: ProviderSetup = { createProvider: () => new InMemoryProvider(), remove: async () => undefined };
void withoutAdd;
// @ts-expect-error -- an outage must return a function that ends it
const endless: ProviderSetup = { ...least, outage: async () => undefined };
void endless;
