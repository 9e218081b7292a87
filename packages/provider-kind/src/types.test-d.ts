/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { Provider } from '@mcr/core';
import { KindBinary, KindProvider } from './index.ts';

export const provider: Provider = new KindProvider({ prefix: 'fleet-', containerRuntime: 'podman' });
export const created: Promise<string> = new KindBinary().create('eu', { signal: AbortSignal.timeout(1) });

// @ts-expect-error -- an unknown option is refused
new KindProvider({ clusterName: 'eu' });
// @ts-expect-error -- Kind knows three engines
new KindProvider({ containerRuntime: 'lxc' });
// @ts-expect-error -- the names of the members are those of Kind
new KindProvider({ clusterOptions: { name: 'eu' } });
