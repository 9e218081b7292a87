import type { ApiClient, ClusterConfig } from '@mcr/core';
import { createClient } from '@mcr/core';
import { createFaultProxy } from '@mcr/envtest';

/** A cluster in which ServiceAccounts are made. */
export interface Ground {
  readonly admin: ApiClient;
  readonly config: ClusterConfig;
  /** The same cluster, as a server that knows no WatchList: initial objects are listed. */
  readonly withoutWatchList: ClusterConfig;
}

/** @param stack takes what has to be ended. */
export async function standOn(config: ClusterConfig, stack: AsyncDisposableStack): Promise<Ground> {
  const proxy = stack.use(await createFaultProxy({ target: config }));
  proxy.inject({ on: 'requests', match: { path: 'sendInitialEvents=true' }, fault: { type: 'answer', status: 422 } });
  return { admin: stack.use(createClient(config)), config, withoutWatchList: proxy.config };
}
