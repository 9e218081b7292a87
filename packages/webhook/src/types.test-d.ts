/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import { defineKind, type KubernetesObject } from '@mcr/core';
import * as kinds from '@mcr/kinds';
import * as z from 'zod';
import { admit, deny, webhookFor } from './index.ts';

interface Cart extends KubernetesObject {
  spec: { size?: number };
}
const Cart = defineKind<Cart>({ apiVersion: 'shop.example.com/v1', kind: 'Cart', plural: 'carts' });

const carts = webhookFor(Cart)
  .default((cart) => {
    cart.spec.size ??= 1;
  })
  .validate({
    create: async ({ spec }) => (spec.size === 13 ? deny('unlucky') : undefined),
    update: (cart, old) => void (cart.spec.size === old.spec.size),
  });
declare const cart: Cart;
void admit(carts, cart, { oldObject: cart });
void admit(carts, { metadata: { name: 'a' }, spec: {} }).then(({ object }) => object.spec.size);
void admit(carts, { apiVersion: 'shop.example.com/v1', kind: 'Cart', metadata: { name: 'a' }, spec: { size: 1 } });
// @ts-expect-error -- the spec is that of another kind
void admit(carts, { metadata: { name: 'a' }, spec: { size: 'large' } });

const Door = kinds.defineKind({
  apiVersion: 'home.example.com/v1',
  kind: 'Door',
  plural: 'doors',
  scope: 'Namespaced',
  spec: z.object({ width: z.int32(), color: z.string().max(9).default('red') }),
});
const door = kinds.newObject(Door, { metadata: { name: 'front' }, spec: { width: 80 } });
void admit(webhookFor(Door), door, { oldObject: door }).then(({ object }) => object.spec.color.length);

// @ts-expect-error -- a validator returns a denial or nothing
carts.validate({ create: () => false });
carts.validate({
  create: (object) => {
    // @ts-expect-error -- objects of validators are read-only
    object.spec.size = 1;
  },
});
// @ts-expect-error -- the operation is unknown
carts.validate({ connect: () => undefined });
// @ts-expect-error -- an object of another kind
void admit(carts, { apiVersion: 'v1' });
