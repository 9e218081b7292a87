import type { Manager } from '@mcr/core';
import { createWebhookServer, installWebhooks } from '@mcr/webhook';
import { addController } from './controller.ts';
import { webhook } from './webhook.ts';

/** Address at which the API servers of all clusters reach the webhooks. */
const url = process.env['WEBHOOK_URL'] ?? 'https://webhooks.demo.example.com:9443';

/** Adds the controllers and webhooks to the manager. */
export async function setup(manager: Manager): Promise<void> {
  await addController(manager);
  const webhooks = await createWebhookServer(manager, {
    certificate: {
      secret: { namespace: 'my-operator', name: 'webhook-certificate' },
      hosts: [new URL(url).hostname],
    },
  });
  webhooks.register(webhook);
  // With "Fail", objects could not be written in any cluster while no replica can be reached.
  await installWebhooks(manager, webhooks, { name: 'my-operator.demo.example.com', url, failurePolicy: 'Ignore' });
}
