import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject, ObjectMeta } from '@mcr/client';
import type { AlreadyOwnedError } from './already-owned-error.ts';
import { isAlreadyOwned } from './already-owned-error.ts';
import { isInvalidOwner } from './invalid-owner-error.ts';
import type { Owned } from './owner-reference.ts';
import {
  controllerOf,
  hasControllerReference,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owner-reference.ts';

const ownerOf = (metadata: Partial<ObjectMeta>, apiVersion = 'shop.example/v1'): KubernetesObject => ({
  apiVersion,
  kind: 'Cart',
  metadata: { namespace: 'shop', name: 'cart', uid: 'u1', resourceVersion: '1', creationTimestamp: '', ...metadata },
});
const objectOf = (metadata: Partial<ObjectMeta> = {}): Owned => ({
  metadata: { namespace: 'shop', name: 'settings', ...metadata },
});
const cart = ownerOf({});

function thrownBy(call: () => void): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('owner references', () => {
  it('setControllerReference makes the owner the controller', () => {
    const object = objectOf();
    setControllerReference(cart, object);
    expect(object.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'shop.example/v1',
        kind: 'Cart',
        name: 'cart',
        uid: 'u1',
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(hasControllerReference(object)).toBe(true);
  });

  it('setControllerReference refuses a second controller, by name', () => {
    const object = objectOf();
    setControllerReference(cart, object);
    const second = ownerOf({ name: 'basket', uid: 'u2' });
    const failure = thrownBy(() => setControllerReference(second, object));
    expect(isAlreadyOwned(failure)).toBe(true);
    expect((failure as AlreadyOwnedError).message).toBe(
      'shop/settings has a controller already: Cart cart; an object can have only one',
    );
    expect((failure as AlreadyOwnedError).owner.uid).toBe('u1');
    expect(object.metadata.ownerReferences).toHaveLength(1);
  });

  it('a reference to the same owner replaces the previous one, also if its version or UID differs', () => {
    const object = objectOf();
    setControllerReference(cart, object);
    setControllerReference(ownerOf({ uid: 'u2' }, 'shop.example/v2'), object, { blockOwnerDeletion: false });
    expect(object.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'shop.example/v2',
        kind: 'Cart',
        name: 'cart',
        uid: 'u2',
        controller: true,
        blockOwnerDeletion: false,
      },
    ]);
  });

  it('setOwnerReference adds an owner in addition to the controller', () => {
    const object = objectOf();
    setControllerReference(cart, object);
    setOwnerReference(ownerOf({ name: 'basket', uid: 'u2' }), object);
    expect(object.metadata.ownerReferences?.[1]).toEqual({
      apiVersion: 'shop.example/v1',
      kind: 'Cart',
      name: 'basket',
      uid: 'u2',
    });
    const other = objectOf();
    setOwnerReference(cart, other);
    expect(hasControllerReference(other)).toBe(false);
  });

  it.each([setControllerReference, setOwnerReference])(
    '%p refuses an owner that the garbage collector would not find',
    (set) => {
      expect(() => set(cart, objectOf({ namespace: 'other' }))).toThrow(
        /Cart shop\/cart cannot own other\/settings: both/,
      );
      expect(() => set(cart, { metadata: { name: 'node' } })).toThrow(
        /cannot own node: a cluster-scoped object cannot/,
      );
      expect(() => set(ownerOf({ uid: '' }), objectOf())).toThrow(/has no uid; create it first/);
      expect(isInvalidOwner(thrownBy(() => set(ownerOf({ uid: '' }), objectOf())))).toBe(true);
    },
  );

  it('a cluster-scoped owner owns objects of any namespace', () => {
    const object = objectOf();
    setOwnerReference(ownerOf({ namespace: '' }), object);
    expect(object.metadata.ownerReferences).toHaveLength(1);
  });

  it('controllerOf returns the reference of the controller, among other owners', () => {
    const object = objectOf();
    expect(controllerOf(object)).toBeUndefined();
    setOwnerReference(ownerOf({ name: 'other', uid: 'u2' }), object);
    expect(controllerOf(object)).toBeUndefined();
    setControllerReference(cart, object);
    expect(controllerOf(object)).toEqual(expect.objectContaining({ kind: 'Cart', name: 'cart', uid: 'u1' }));
  });

  it('removeOwnerReference removes an owner, and returns whether it existed', () => {
    const object = objectOf();
    setControllerReference(cart, object);
    setOwnerReference(ownerOf({ name: 'basket', uid: 'u2' }), object);
    expect(removeOwnerReference(ownerOf({}, 'shop.example/v2'), object)).toBe(true);
    expect(object.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['basket']);
    expect(removeOwnerReference(cart, object)).toBe(false);
    expect(removeOwnerReference(cart, objectOf())).toBe(false);
  });
});
