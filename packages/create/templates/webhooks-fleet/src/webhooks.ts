import type { Manager } from '@mcr/core';
import { createWebhookServer, installWebhooks } from '@mcr/webhook';

const webhooks = [];

/** Address at which the API servers of all clusters reach the webhooks. */
const url = process.env['WEBHOOK_URL'] ?? 'https://webhooks.demo.example.com:9443';

/** Serves the webhooks, and installs them in each cluster. */
export async function addWebhooks(manager: Manager): Promise<void> {
  const server = await createWebhookServer(manager, {
    bindAddress: process.env['WEBHOOK_ADDRESS'] ?? ':9443',
    // "mcr dev" sets 0: its balancer notices at once that a replica ends.
    drainDelay: Number(process.env['WEBHOOK_DRAIN_DELAY'] ?? 5000),
    certificate: {
      secret: { namespace: 'my-operator', name: 'webhook-certificate' },
      hosts: [new URL(url).hostname],
    },
  });
  for (const webhook of webhooks) server.register(webhook);
  // With "Fail", objects could not be written in any cluster while no replica can be reached.
  await installWebhooks(manager, server, { name: 'my-operator.demo.example.com', url, failurePolicy: 'Ignore' });
}
