import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject, ObjectKey } from '@mcr/client';
import { defineKind, Namespace } from '@mcr/client';
import type { ObjectEvent } from '../event/event.ts';
import { objectEvent, type ObjectEventInput } from '../event/object-event.ts';
import type { ReconcileRequest, RequestType } from '../reconcile/request.ts';
import { enqueueMapped } from './enqueue-mapped.ts';
import { enqueueRequestForObject } from './enqueue-object.ts';
import { enqueueRequestForOwner } from './enqueue-owner.ts';
import type { EventHandler } from './event-handler.ts';
import { forCluster, injectCluster, lift } from './for-cluster.ts';

function object(name: string, metadata: Partial<KubernetesObject['metadata']> = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1', creationTimestamp: '', ...metadata },
  };
}

const created: ObjectEventInput = { type: 'create', clusterName: 'eu-1', initial: false, object: object('cart') };

/** Returns the requests that a handler adds. */
async function requestsOf<R>(
  handler: EventHandler<KubernetesObject, R>,
  event: ObjectEventInput = created,
): Promise<R[]> {
  const requests: R[] = [];
  await handler(objectEvent(event), { queue: { add: (request) => void requests.push(request) } });
  return requests;
}

describe('handlers', () => {
  const handlerOfOther = (_: ObjectEvent, { queue }: { queue: { add(request: ReconcileRequest): void } }) =>
    queue.add({ clusterName: 'other', namespace: 'shop', name: 'cart' });

  it('enqueue the object of any event, in the cluster of the event', async () => {
    const event = created.object;
    const expected = [{ clusterName: 'eu-1', namespace: 'shop', name: 'cart' }];
    const handler = enqueueRequestForObject();
    const base = { clusterName: 'eu-1', object: event };
    expect(await requestsOf(handler)).toEqual(expected);
    expect(await requestsOf(handler, { ...base, type: 'update', oldObject: event })).toEqual(expected);
    expect(await requestsOf(handler, { ...base, type: 'delete', finalStateUnknown: true })).toEqual(expected);
    expect(await requestsOf(handler, { ...base, type: 'generic' })).toEqual(expected);
  });

  it('CT-7: enqueue the owner of an updated object once, and both owners if it changed', async () => {
    const Owner = defineKind({ apiVersion: 'example.dev/v1', kind: 'Owner', plural: 'owners', scope: 'Cluster' });
    const ownedBy = (name: string) =>
      object('cart', { ownerReferences: [{ apiVersion: 'example.dev/v1', kind: 'Owner', name, uid: name }] });
    const requestsAfter = (before: string, after: string) =>
      requestsOf(enqueueRequestForOwner(Owner), {
        type: 'update',
        clusterName: 'eu-1',
        oldObject: ownedBy(before),
        object: ownedBy(after),
      });
    expect(await requestsAfter('a', 'a')).toEqual([{ clusterName: 'eu-1', namespace: '', name: 'a' }]);
    expect((await requestsAfter('a', 'b')).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('CT-13: map an update to each request once', async () => {
    const update: ObjectEventInput = {
      type: 'update',
      clusterName: 'eu-1',
      oldObject: object('a'),
      object: object('a'),
    };
    const both = [{ name: 'x' }, { name: 'y' }];
    for (const handler of [enqueueMapped(() => both), enqueueMapped(async () => both)]) {
      expect((await requestsOf(handler, update)).map(({ name }) => name)).toEqual(['x', 'y']);
    }
  });

  it('SH-10: keep the uid that a mapping function returns', async () => {
    const event: ObjectEventInput = { type: 'create', clusterName: 'eu-1', object: object('a'), initial: false };
    expect(
      await requestsOf(
        enqueueMapped(() => [{ name: 'x', uid: 'uid-of-x' }]),
        event,
      ),
    ).toEqual([{ clusterName: 'eu-1', namespace: '', name: 'x', uid: 'uid-of-x' }]);
  });

  it('CT-17: the event fails once if a mapping function rejects for one object and throws for the other', async () => {
    const rejections: unknown[] = [];
    const onRejection = (error: unknown) => rejections.push(error);
    process.on('unhandledRejection', onRejection);
    let calls = 0;
    const map = () => {
      calls += 1;
      if (calls > 1) throw new Error('thrown');
      return Promise.reject(new Error('rejected'));
    };
    const cart = object('cart');
    const update: ObjectEventInput = { type: 'update', clusterName: 'eu-1', oldObject: cart, object: cart };
    await expect(requestsOf(enqueueMapped(map), update)).rejects.toThrow('thrown');
    await new Promise((resolve) => setTimeout(resolve));
    process.off('unhandledRejection', onRejection);
    expect([calls, rejections]).toEqual([2, []]);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'undefined'],
    ['a text', 'shop/cart', 'a string'],
    ['a key', { namespace: 'shop', name: 'cart' }, 'an object'],
    ['an array of texts', ['shop/cart'], 'an entry that is a string'],
    ['an array of nothing', [undefined], 'an entry that is undefined'],
    ['an array of objects', [object('cart')], 'an entry that is an object without a name'],
    ['a wrong uid', [{ name: 'cart', uid: 7 }], 'an entry that is an object whose uid is a number'],
    ['a wrong namespace', [{ namespace: 7, name: 'cart' }], 'an entry that is an object whose namespace is a number'],
  ])('CT-13: refuse what a mapping function must not return: %s', async (_, returned, found) => {
    const message = `mapping function of ConfigMap shop/cart: expected it to return an array of requests, found ${found}: return [{ namespace, name }], or [] for none`;
    await expect(requestsOf(enqueueMapped(() => returned as never))).rejects.toThrow(new TypeError(message));
    await expect(requestsOf(enqueueMapped(async () => returned as never))).rejects.toThrow(new TypeError(message));
  });

  it('CT-13: map the old object of an update as well, synchronously or not', async () => {
    const update: ObjectEventInput = {
      type: 'update',
      clusterName: 'eu-1',
      oldObject: object('before'),
      object: object('after'),
    };
    const expected = ['before', 'after'].map((name) => ({ clusterName: 'eu-1', namespace: 'shop', name }));
    const key = ({ metadata: { name } }: { readonly metadata: { readonly name: string } }) => ({
      namespace: 'shop',
      name,
    });
    expect(
      await requestsOf(
        enqueueMapped((o) => [key(o)]),
        update,
      ),
    ).toEqual(expected);
    expect(
      await requestsOf(
        enqueueMapped(async (o) => [key(o)]),
        update,
      ),
    ).toEqual(expected);
  });

  it('CT-7: enqueue a cluster-scoped owner without a namespace', async () => {
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'shop', uid: '1' };
    const event: ObjectEventInput = { ...created, object: object('cart', { ownerReferences: [owner] }) };
    expect(await requestsOf(enqueueRequestForOwner(Namespace), event)).toEqual([
      { clusterName: 'eu-1', namespace: '', name: 'shop' },
    ]);
  });

  it('SH-10: enqueue the uid of the object or the owner on request', async () => {
    const ofObject = enqueueRequestForObject({ uid: true });
    expect(await requestsOf(ofObject)).toEqual([{ clusterName: 'eu-1', namespace: 'shop', name: 'cart', uid: 'cart' }]);
    const recreated = { ...created, type: 'update', oldObject: object('cart', { uid: 'before' }) } as const;
    expect((await requestsOf(ofObject, recreated)).map(({ uid }) => uid)).toEqual(['before', 'cart']);
    const ownedBy = (uid: string) =>
      object('cart', { ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: 'shop', uid }] });
    const moved = { ...created, type: 'update', oldObject: ownedBy('1'), object: ownedBy('2') } as const;
    expect(await requestsOf(enqueueRequestForOwner(Namespace, { uid: true }), moved)).toEqual(
      ['1', '2'].map((uid) => ({ clusterName: 'eu-1', namespace: '', name: 'shop', uid })),
    );
  });

  it('lift adds the cluster of the event to the requests of a handler for one cluster', async () => {
    const handler: EventHandler<KubernetesObject, ObjectKey> = (_, { queue }) => queue.add({ name: 'node-1' });
    expect(await requestsOf(lift(handler))).toEqual([{ clusterName: 'eu-1', namespace: '', name: 'node-1' }]);
  });

  it('injectCluster and forCluster replace the cluster of the requests', async () => {
    expect(await requestsOf(injectCluster(handlerOfOther))).toMatchObject([{ clusterName: 'eu-1' }]);
    expect(await requestsOf(forCluster(handlerOfOther, 'us-1'))).toMatchObject([{ clusterName: 'us-1' }]);
  });

  it('RC-8: injectCluster and forCluster support custom request types', async () => {
    const requestType: RequestType<string> = {
      key: (request) => request,
      clusterOf: (request) => request.slice(0, request.indexOf('#')),
      withCluster: (request, name) => `${name}${request.slice(request.indexOf('#'))}`,
    };
    const handler: EventHandler<KubernetesObject, string> = (_, { queue }) => queue.add('other#1');
    expect(await requestsOf(injectCluster(handler, { requestType }))).toEqual(['eu-1#1']);
    expect(await requestsOf(forCluster(handler, 'us-1', { requestType }))).toEqual(['us-1#1']);
  });
});
