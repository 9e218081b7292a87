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
// @ts-expect-error -- unknown options are refused
createFileProvider({ paths: ['a'] });
// @ts-expect-error -- the policy is one of two values
createFileProvider({ policy: 'lenient' });
// @ts-expect-error -- clusters are named after their files and contexts
createFileProvider({ clusterOptions: { name: 'eu-1' } });
