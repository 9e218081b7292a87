import { describe, expect, it, jest } from '@jest/globals';
import { ApiServer } from '../index.ts';
import { RawClient } from '../raw-client.fixture.ts';

const OPTIONS = { historyLimit: 10_000, bookmarkInterval: 60_000, featureGates: {}, controllers: true };
const PATHS = [
  '/api/v1/namespaces',
  '/api/v1/services',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  '/apis/apiregistration.k8s.io/v1/apiservices',
];

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
}

describe('the objects of a new cluster', () => {
  it('K-28: are the same in each cluster, with uids and times of their own', async () => {
    const server = await ApiServer.start(OPTIONS);
    try {
      const lists = async (name: string) => {
        const address = await server.createCluster({ name, port: 0, crds: [] });
        using client = new RawClient({
          server: `https://127.0.0.1:${address.port}`,
          tls: { caData: address.caCertificate },
          auth: { type: 'token', token: address.token },
        });
        const found: Item[] = [];
        for (const path of PATHS)
          found.push(...((await client.get(path)).body as { readonly items: readonly Item[] }).items);
        return found;
      };
      const one = await lists('one');
      const later = Date.now() + 60_000;
      const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
      const other = await lists('other').finally(() => clock.mockRestore());
      const texts = (items: readonly Item[]) =>
        items.map((item) => {
          const { uid, creationTimestamp } = item.metadata;
          return JSON.stringify(item).replaceAll(uid, 'uid').replaceAll(creationTimestamp, 'time');
        });
      expect(one.length).toBeGreaterThan(40);
      expect(texts(other)).toEqual(texts(one));
      const uids = new Set([...one, ...other].map(({ metadata }) => metadata.uid));
      expect(uids.size).toBe(one.length + other.length);
      expect(other[0]?.metadata.creationTimestamp).not.toBe(one[0]?.metadata.creationTimestamp);
    } finally {
      await server.stop();
    }
  });
});
