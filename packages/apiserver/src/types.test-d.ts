/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import { ApiServer, type ClusterAddress } from './index.ts';

export async function clusters(): Promise<ClusterAddress> {
  const server = await ApiServer.start({
    historyLimit: 10,
    bookmarkInterval: 1_000,
    featureGates: {},
    controllers: true,
  });
  await server.execute({ method: 'issueToken', name: 'hub', user: 'jane' });

  // @ts-expect-error -- a server is started, not constructed
  new ApiServer({});
  // @ts-expect-error -- the command does not exist
  await server.execute({ method: 'pause', name: 'hub' });
  // @ts-expect-error -- the command names no cluster
  await server.execute({ method: 'compact' });
  return server.createCluster({ name: 'hub', port: 0, crds: [] });
}
