import type { ApiClient, ClusterConfig } from '@mcr/core';
import { createClient } from '@mcr/core';
import { createFaultProxy } from '@mcr/envtest';

/** A cluster in which the test creates ServiceAccounts. */
export interface Ground {
  readonly admin: ApiClient;
  readonly config: ClusterConfig;
  /** The same cluster through a proxy that refuses WatchLists, so that initial objects are listed. */
  readonly withoutWatchList: ClusterConfig;
}

/** @param stack owns the proxy and the client. */
export async function openGround(config: ClusterConfig, stack: AsyncDisposableStack): Promise<Ground> {
  const proxy = stack.use(await createFaultProxy({ target: config }));
  proxy.inject({ on: 'requests', match: { path: 'sendInitialEvents=true' }, fault: { type: 'answer', status: 422 } });
  return { admin: stack.use(createClient(config)), config, withoutWatchList: proxy.config };
}
