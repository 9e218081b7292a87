import { describe, expect, it } from '@jest/globals';
import { ConfigMap, defineKind, Namespace } from '@mcr/client';
import { setFleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import { InMemoryCluster } from '../../testing/in-memory-cluster.ts';
import { objectEvent } from '../event/object-event.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import type { FleetOwnerHandlerOptions } from './enqueue-fleet-owner.ts';
import { enqueueRequestForFleetOwner } from './enqueue-fleet-owner.ts';

const Shop = defineKind({ apiVersion: 'shop.example.com/v1', kind: 'Shop', scope: 'Namespaced' });
const metadata = { resourceVersion: '1', creationTimestamp: '' };

async function scene() {
  const hub = new InMemoryCluster();
  const { uid } = (await hub.client.create(Namespace, { metadata: { name: 'kube-system' } })).metadata;
  const copyOf = (
    name: string,
    { kind = 'Shop', hub: id = uid }: { readonly kind?: string; readonly hub?: string } = {},
  ) => {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'a', name: 'copy', uid: 'x', ...metadata },
    };
    const owner = { namespace: 'hub-space', name, uid: `uid of ${name}`, ...metadata };
    setFleetOwner({ apiVersion: 'shop.example.com/v2', kind, metadata: owner }, object, { hub: id });
    return object;
  };
  const requests = async (
    event: Parameters<typeof objectEvent>[0],
    options: Partial<FleetOwnerHandlerOptions> = {},
  ): Promise<ReconcileRequest[]> => {
    const added: ReconcileRequest[] = [];
    const handler = enqueueRequestForFleetOwner(Shop, { hub, ...options });
    await handler(objectEvent(event), { queue: { add: (request) => void added.push(request) } });
    return added;
  };
  return { hub, copyOf, requests };
}

describe('enqueueRequestForFleetOwner', () => {
  it('FP-3: leads from an object of a member to its owner in the hub', async () => {
    const { copyOf, requests } = await scene();
    const event = { type: 'create', clusterName: 'm', object: copyOf('one'), initial: false } as const;
    const key = { namespace: 'hub-space', name: 'one' };
    expect(await requests(event)).toEqual([{ clusterName: '', ...key }]);
    expect(await requests(event, { requestIn: 'member' })).toEqual([{ clusterName: 'm', ...key }]);
    expect(await requests(event, { uid: true })).toEqual([{ clusterName: '', ...key, uid: 'uid of one' }]);
  });

  it('FP-3: leads to the old and the new owner of an update, and to one owner once', async () => {
    const { copyOf, requests } = await scene();
    const update = (oldName: string) =>
      ({ type: 'update', clusterName: 'm', oldObject: copyOf(oldName), object: copyOf('two') }) as const;
    expect((await requests(update('one'))).map(({ name }) => name)).toEqual(['one', 'two']);
    expect((await requests(update('two'))).map(({ name }) => name)).toEqual(['two']);
  });

  it('FP-3: ignores owners of another kind or another hub, and objects without one', async () => {
    const { copyOf, requests } = await scene();
    const event = { type: 'delete', clusterName: 'm', finalStateUnknown: false } as const;
    expect(await requests({ ...event, object: copyOf('one', { kind: 'Other' }) })).toEqual([]);
    expect(await requests({ ...event, object: copyOf('one', { hub: 'another' }) })).toEqual([]);
    expect(
      await requests({
        ...event,
        object: { apiVersion: 'v1', kind: ConfigMap.kind, metadata: { name: 'x', uid: 'x', ...metadata } },
      }),
    ).toEqual([]);
  });

  it('FP-3: looks for owners in the local cluster by default, and fails if the manager has none', async () => {
    const { hub, copyOf } = await scene();
    const added: ReconcileRequest[] = [];
    const queue = { add: (request: ReconcileRequest) => void added.push(request) };
    const event = objectEvent({ type: 'create', clusterName: 'eu-1', object: copyOf('one'), initial: false });
    const handler = enqueueRequestForFleetOwner(Shop);
    await handler(event, { queue, localCluster: hub });
    expect(added).toEqual([{ clusterName: '', namespace: 'hub-space', name: 'one' }]);
    expect(() => handler(event, { queue })).toThrow('the manager has no local cluster: set the option "hub"');
  });
});
