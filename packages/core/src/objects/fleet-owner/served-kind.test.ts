import { describe, expect, it, jest } from '@jest/globals';
import type { Kind, KubernetesObject, RestMapper, ServerResource } from '@mcr/client';
import { ApiError, ConfigMap, defineKind } from '@mcr/client';
import { InMemoryCluster } from '../../testing/in-memory-cluster.ts';
import { deleteFleetOwned } from './delete-fleet-owned.ts';
import { fleetOwner, setFleetOwner } from './fleet-owner.ts';
import { isMissingObject, readServed } from './served-kind.ts';

const Thing = defineKind({
  apiVersion: 'x.example.com/v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
});
const resource = (apiVersion: string, kind: string, plural: string): ServerResource => ({
  apiVersion,
  kind,
  plural,
  scope: 'Namespaced',
  verbs: ['get', 'list'],
  shortNames: [],
});
const others = [resource('v1', 'ConfigMap', 'configmaps'), resource('apps/v1', 'Deployment', 'deployments')];
const gateway = new ApiError({ code: 404, message: '<h1>cluster not found</h1>' });

/** A cluster that serves some kinds. */
const serving = (...resources: ServerResource[]) => ({
  restMapper: {
    resources: () => Promise.resolve(resources),
    forget: () => {
      // Nothing is cached.
    },
  } satisfies Pick<RestMapper, 'resources' | 'forget'>,
});
const failing = () => Promise.reject(gateway);

describe('readServed', () => {
  it('FP-3: believes that a kind is not served only if discovery says so', async () => {
    await expect(readServed(serving(...others), Thing, failing)).resolves.toBeUndefined();
    const served = serving(...others, resource('x.example.com/v1', 'Thing', 'things'));
    await expect(readServed(served, Thing, failing)).rejects.toBe(gateway);
    // The gateway answers for discovery, too: there are no kinds at all.
    for (const cluster of [serving(), serving(...others.slice(0, 1)), serving(...others.slice(1))]) {
      await expect(readServed(cluster, Thing, failing)).rejects.toBe(gateway);
    }
  });

  it('FP-3: uses the version of a kind that the cluster serves', async () => {
    const cluster = serving(...others, resource('x.example.com/v2', 'Thing', 'things'));
    const read = jest.fn((kind: Kind<KubernetesObject>) =>
      kind.apiVersion === 'x.example.com/v2' ? Promise.resolve(kind.plural) : failing(),
    );
    expect(await readServed(cluster, Thing, read)).toBe('things');
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('FP-3: believes that an object is gone only if the answer names it', () => {
    const answer = (details?: object) => new ApiError({ code: 404, reason: 'NotFound', ...(details && { details }) });
    expect(isMissingObject(answer({ name: 'a', kind: 'things' }), { name: 'a' })).toBe(true);
    for (const error of [answer(), answer({ name: 'b' }), gateway, new ApiError({ code: 503 })]) {
      expect(isMissingObject(error, { name: 'a' })).toBe(false);
    }
  });
});

describe('deleteFleetOwned', () => {
  it('FP-3: deletes dependents, too, and throws if a gateway answers for the API server', async () => {
    const member = new InMemoryCluster({ name: 'a' });
    const metadata = { namespace: 'hub', name: 'shop', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
    const owner = { apiVersion: 'v1', kind: 'Shop', metadata };
    const copy = { metadata: { namespace: 'default', name: 'copy' } };
    setFleetOwner(owner, copy, { hub: 'h' });
    await member.client.create(ConfigMap, copy);
    const options = { owner: fleetOwner(owner, { hub: 'h' }), kinds: [ConfigMap] };
    const { restMapper, client } = member;
    const unreachable = { apiReader: { get: failing, find: failing, list: failing }, restMapper, client };
    await expect(deleteFleetOwned(unreachable, options)).rejects.toBe(gateway);
    const deletion = jest.spyOn(client, 'delete');
    expect(await deleteFleetOwned(member, options)).toBe(0);
    expect(deletion.mock.calls[0]?.[2]).toMatchObject({ propagationPolicy: 'Background' });
  });
});
