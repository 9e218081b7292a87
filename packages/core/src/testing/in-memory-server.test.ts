import { describe, expect, it, jest } from '@jest/globals';
import { ConfigMap } from '@mcr/client';

describe('an in-memory client without @mcr/apiserver', () => {
  it('S-14: says what to install, at each call', async () => {
    jest.unstable_mockModule('@mcr/apiserver', () => {
      throw Object.assign(new Error("package '@mcr/apiserver' not found"), {
        code: 'ERR_MODULE_NOT_FOUND',
      });
    });
    const { InMemoryCluster } = await import('./in-memory-cluster.ts');
    const { client } = new InMemoryCluster();
    for (const call of [client.list(ConfigMap), client.find(ConfigMap, { namespace: 'shop', name: 'cart' })]) {
      await expect(call).rejects.toThrow(
        'InMemoryClient and InMemoryCluster need the package @mcr/apiserver: npm install --save-dev @mcr/apiserver',
      );
    }
  });
});
