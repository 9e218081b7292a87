/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { Aware, Provider } from '@mcr/core';
import { createFileProvider } from './index.ts';

const provider = createFileProvider();
export const asProvider: Provider = provider;
export const once = (aware: Aware): Promise<void> => provider.runOnce(aware);

createFileProvider({
  kubeconfigFiles: ['a'],
  kubeconfigDirs: ['b'],
  kubeconfigGlobs: ['*'],
  separator: '/',
  debounce: 0,
});
// @ts-expect-error -- an unknown option is refused
createFileProvider({ paths: ['a'] });
// @ts-expect-error -- a policy is one of two texts
createFileProvider({ policy: 'lenient' });
// @ts-expect-error -- the names of the clusters are those of their files and contexts
createFileProvider({ clusterOptions: { name: 'eu-1' } });
