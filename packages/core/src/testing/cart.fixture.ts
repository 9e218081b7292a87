import type { KubernetesObject } from '@mcr/client';
import { defineKind } from '@mcr/client';

/** A custom resource. */
export interface Cart extends KubernetesObject {
  spec?: { size?: number; colour?: string };
  status?: { phase?: string };
}

export const Cart = defineKind<Cart>({ apiVersion: 'example.com/v1', kind: 'Cart' });

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { size: { type: 'integer', maximum: 10 }, colour: { type: 'string', default: 'blue' } },
    },
    status: { type: 'object', properties: { size: { type: 'integer' }, phase: { type: 'string' } } },
  },
};

export const cartDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'carts.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Cart', plural: 'carts' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        selectableFields: [{ jsonPath: '.spec.colour' }],
        schema: { openAPIV3Schema: schema },
      },
    ],
  },
};
