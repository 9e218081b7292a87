/* Uses of the package that must compile, and uses that must not. Compiled by `tsc`, never run. */
import { defineKind, type KubernetesObject } from '@mcr/core';
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
