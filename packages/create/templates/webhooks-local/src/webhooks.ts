import type { Manager } from '@mcr/core';
import { createWebhookServer, installWebhooks } from '@mcr/webhook';

const webhooks = [];

/** The Service of the webhooks, which "mcr generate" writes. */
const service = { namespace: 'my-operator', name: 'my-operator-webhook' };

/** Serves the webhooks, and installs them in the cluster that the program runs in. */
export async function addWebhooks(manager: Manager): Promise<void> {
  const server = await createWebhookServer(manager, {
    bindAddress: process.env['WEBHOOK_ADDRESS'] ?? ':9443',
    // "mcr dev" sets 0: its balancer notices at once that a replica ends.
    drainDelay: Number(process.env['WEBHOOK_DRAIN_DELAY'] ?? 5000),
    certificate: {
      secret: { namespace: service.namespace, name: 'webhook-certificate' },
      hosts: [`${service.name}.${service.namespace}.svc`],
    },
  });
  for (const webhook of webhooks) server.register(webhook);
  await installWebhooks(manager, server, { name: 'my-operator.demo.example.com', service });
}
