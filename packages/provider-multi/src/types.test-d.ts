/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import { createNopProvider, type Provider } from '@mcr/core';
import { createMultiProvider } from './index.ts';

const multi = createMultiProvider({ separator: '/' });
const provider: Provider = multi;
void provider;
void multi.addProvider('none', createNopProvider());
for (const { prefix, state, error } of multi.providers()) if (state === 'failed') console.log(prefix, error?.message);

// @ts-expect-error -- a provider needs a prefix
void multi.addProvider(createNopProvider());
// @ts-expect-error -- unknown options are refused
createMultiProvider({ seperator: '/' });
