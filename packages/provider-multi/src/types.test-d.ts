/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import { NopProvider, type Provider } from '@mcr/core';
import { MultiProvider } from './index.ts';

const multi = new MultiProvider({ separator: '/' });
const provider: Provider = multi;
void provider;
void multi.addProvider('none', new NopProvider());
for (const { prefix, state, error } of multi.providers()) if (state === 'failed') console.log(prefix, error?.message);

// @ts-expect-error -- a provider has a prefix
void multi.addProvider(new NopProvider());
// @ts-expect-error -- an unknown option is refused
new MultiProvider({ seperator: '/' });
