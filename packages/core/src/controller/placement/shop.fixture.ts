import type { KubernetesObject } from '@mcr/client';
import { defineKind } from '@mcr/client';
import type { Condition } from '../../objects/condition/condition.ts';
import type { PlacementClusterStatus } from './placement-status.ts';

/** A kind of the hub whose objects are placed in clusters. */
export interface Shop extends KubernetesObject {
  spec?: { colour?: string; colours?: string[] };
  status?: { conditions?: Condition[]; clusters?: PlacementClusterStatus[]; other?: string };
}
export const Shop = defineKind<Shop>({
  apiVersion: 'shop.example.com/v1',
  kind: 'Shop',
  plural: 'shops',
  scope: 'Namespaced',
});

const listMap = (key: string) => ({
  type: 'array',
  items: {
    type: 'object',
    required: [key],
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { [key]: { type: 'string' } },
  },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
});
export const shopDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'shops.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { kind: 'Shop', plural: 'shops' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              status: {
                type: 'object',
                properties: { conditions: listMap('type'), clusters: listMap('name'), other: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
};
