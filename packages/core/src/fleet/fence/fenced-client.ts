import type { Client } from '@mcr/client';
import { delegatingClient } from '@mcr/client';
import { withFence } from './current-fence.ts';
import type { WriteFence } from './write-fence.ts';

/**
 * Returns a client whose writes pass the fence that `fenceOf` returns for each, instead of the fence of the client's own
 * cluster. The fence is asked before each attempt. For a cluster that shares the connection of another one, such as a
 * namespace that is presented as a cluster; `client` must be that of a cluster from `createCluster` or a manager.
 *
 * @param fenceOf called for each write. `undefined`: the write passes the fence of the client's own cluster.
 */
export function fencedClient(client: Client, fenceOf: () => WriteFence | undefined): Client {
  const fenced = <T>(write: () => Promise<T>): Promise<T> => {
    const fence = fenceOf();
    return fence ? withFence(fence, write) : write();
  };
  return {
    ...delegatingClient(client),
    packed: client.packed,
    create: (...write) => fenced(() => client.create(...write)),
    update: (...write) => fenced(() => client.update(...write)),
    patch: (...write) => fenced(() => client.patch(...write)),
    apply: (...write) => fenced(() => client.apply(...write)),
    delete: (...write) => fenced(() => client.delete(...write)),
    deleteCollection: (...write) => fenced(() => client.deleteCollection(...write)),
    status: {
      update: (...write) => fenced(() => client.status.update(...write)),
      patch: (...write) => fenced(() => client.status.patch(...write)),
      apply: (...write) => fenced(() => client.status.apply(...write)),
    },
    subresource(name, body) {
      const subresource = client.subresource(name, body);
      return {
        get: (...read) => subresource.get(...read),
        create: (...write) => fenced(() => subresource.create(...write)),
        update: (...write) => fenced(() => subresource.update(...write)),
        patch: (...write) => fenced(() => subresource.patch(...write)),
        apply: (...write) => fenced(() => subresource.apply(...write)),
      };
    },
  };
}
