/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import type { Provider } from '@mcr/core';
import { createKindBinary, createKindProvider } from './index.ts';

export const provider: Provider = createKindProvider({ prefix: 'fleet-', containerRuntime: 'podman' });
export const created: Promise<string> = createKindBinary().create('eu', { signal: AbortSignal.timeout(1) });

// @ts-expect-error -- unknown options are refused
createKindProvider({ clusterName: 'eu' });
// @ts-expect-error -- Kind supports three engines
createKindProvider({ containerRuntime: 'lxc' });
// @ts-expect-error -- clusters are named as in Kind
createKindProvider({ clusterOptions: { name: 'eu' } });
