import type { Manager } from '@mcr/core';
import { createWebhookServer, installWebhooks } from '@mcr/webhook';
import { addController } from './controller.ts';
import { webhook } from './webhook.ts';

/** The Service of the webhooks, which "mcr generate" writes. */
const service = { namespace: 'my-operator', name: 'my-operator-webhook' };

/** Adds the controllers and webhooks to the manager. */
export async function setup(manager: Manager): Promise<void> {
  await addController(manager);
  const webhooks = await createWebhookServer(manager, {
    certificate: {
      secret: { namespace: service.namespace, name: 'webhook-certificate' },
      hosts: [`${service.name}.${service.namespace}.svc`],
    },
  });
  webhooks.register(webhook);
  await installWebhooks(manager, webhooks, { name: 'my-operator.demo.example.com', service });
}
