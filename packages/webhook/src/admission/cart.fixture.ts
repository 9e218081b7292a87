import type { KubernetesObject } from '@mcr/core';
import { defineKind } from '@mcr/core';
import * as z from 'zod';

/** A kind of the tests. */
export interface Cart extends KubernetesObject {
  spec: { size?: number; zone?: string; huge?: number | bigint };
}

export const Cart = defineKind<Cart>({
  apiVersion: 'shop.example.com/v1',
  kind: 'Cart',
  plural: 'carts',
  scope: 'Namespaced',
});

/** The same kind, with a schema that a CustomResourceDefinition cannot express. */
export const StrictCart = defineKind({
  apiVersion: 'shop.example.com/v1',
  kind: 'Cart',
  plural: 'carts',
  scope: 'Namespaced',
  schema: z.object({
    spec: z
      .object({
        size: z.int().min(1).default(1),
        zone: z.string().optional(),
        items: z.array(z.object({ name: z.string().min(1), count: z.int().default(1) })).optional(),
      })
      .refine(({ zone, size }) => zone !== 'small' || size <= 2, {
        path: ['size'],
        message: 'at most 2 in zone small',
      }),
  }),
});

export function cart(spec: Cart['spec'], name = 'a'): Cart {
  return {
    apiVersion: Cart.apiVersion,
    kind: Cart.kind,
    metadata: { name, namespace: 'default' } as Cart['metadata'],
    spec,
  };
}
