import { describe, expect, it, jest } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { InMemoryCluster } from '../../testing/in-memory-cluster.ts';
import { applyPlaced } from './apply-placed.ts';
import { desired } from './placement-options.ts';
import { placedScope } from './placement-record.ts';

const key = { namespace: 'default', name: 'copy' };
const pacing = { mayApply: () => true, applied: () => undefined };
const object = desired(ConfigMap, { metadata: key, data: { colour: 'red' } });

describe('applyPlaced', () => {
  it('FP-4: applies a deleted object again while another informer of the kind still has it', async () => {
    const cluster = new InMemoryCluster({ name: 'eu-1' });
    const owner = { hub: 'hub', apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'owner', uid: 'uid-1' };
    const { signal } = new AbortController();
    const options = { controller: 'shop', owner, fieldManager: 'mcr-placement-shop', isRecorded: true, pacing, signal };
    const verified = await applyPlaced(cluster, object, { ...options, verified: undefined });
    const old = await cluster.client.get(ConfigMap, key);
    const peek = jest.spyOn(cluster.cache as Required<typeof cluster.cache>, 'peek');

    peek.mockReturnValue([old]);
    expect(await applyPlaced(cluster, object, { ...options, verified })).toBe(verified);
    expect(peek.mock.lastCall?.[2]).toEqual(placedScope('shop'));

    await cluster.client.delete(ConfigMap, key);
    peek.mockImplementation((_kind, _key, scope) => (scope ? [] : [old]));
    await applyPlaced(cluster, object, { ...options, verified });
    expect((await cluster.client.find(ConfigMap, key))?.data).toEqual({ colour: 'red' });
  });
});
