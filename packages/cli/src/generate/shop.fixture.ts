import {
  Deployment,
  InMemoryProvider,
  type Manager,
  type ReconcileFunction,
  Secret,
  controllerManagedBy,
} from '@mcr/core';
import { defineKind } from '@mcr/kinds';
import * as z from 'zod';
import type { McrConfig } from '../index.ts';

/* The config of a program that runs a Deployment for each Shop in each cluster of a fleet. */

export const Shop = defineKind({
  apiVersion: 'shop.example.com/v1',
  kind: 'Shop',
  plural: 'shops',
  scope: 'Namespaced',
  spec: z.object({ image: z.string() }),
  status: z.object({ key: z.string().optional() }),
});

/** Also reads a Secret of the hub. */
const reconciler =
  (manager: Manager): ReconcileFunction =>
  async (request, { cluster, signal }) => {
    const { client } = await cluster();
    const shop = await client.find(Shop, request, { signal });
    if (!shop) return;
    const hub = manager.localManager.cluster.apiReader;
    const { data } = await hub.get(Secret, { namespace: 'keys', name: 'shop-key' }, { signal });
    const { namespace, name } = request;
    const labels = { shop: name };
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'shop', image: shop.spec.image }] },
    };
    const deployment = { metadata: { namespace, name }, spec: { selector: { matchLabels: labels }, template } };
    await client.apply(Deployment, deployment, { fieldManager: 'shop', signal });
    await client.status.patch(Shop, request, { status: { key: data?.['key'] ?? '' } }, 'merge', { signal });
  };

export default {
  name: 'shop-operator',
  namespace: 'shop',
  kinds: [Shop],
  webhooks: {},
  manager: () => ({
    provider: new InMemoryProvider(),
    leaderElection: { id: 'shop-operator' },
    health: { bindAddress: ':8081' },
  }),
  setup: async (manager) => {
    await controllerManagedBy(manager)
      .for(Shop)
      .owns(Deployment)
      .requires(
        { kind: Shop, subresource: 'status', verbs: ['patch'] },
        { kind: Deployment, verbs: ['create', 'patch'] },
        { kind: Secret, verbs: ['get'], names: ['shop-key'], namespaces: ['keys'], in: 'local' },
      )
      .complete(reconciler(manager));
  },
  deploy: { image: 'registry.example.com/shop:1.0.0', env: { REGION: 'eu' }, secrets: { '/certs': 'shop-certs' } },
} satisfies McrConfig;
