import { ensureCrds, type Manager } from '@mcr/core';
import { crdOf } from '@mcr/kinds';
import { createWebhookServer, installWebhooks, type WebhookServerOptions } from '@mcr/webhook';
import { addCronJobController } from './controller.ts';
import { CronJobVersions } from './cron-job.ts';
import { cronJobWebhook } from './webhook.ts';

/** Name of the definition, and of the webhook configurations. */
const NAME = 'cronjobs.batch.tutorial.kubebuilder.io';

export interface OperatorOptions {
  readonly manager: Manager;
  /** Options of the webhook server. */
  readonly server: WebhookServerOptions;
  /** Address at which API servers call it. Default: the address that it listens on. */
  readonly url?: string | undefined;
  /** Returns the time. Default: the system clock. */
  readonly now?: () => Date;
}

/** Serves CronJobs in every cluster of the manager until the signal aborts. */
export async function runOperator({ manager, server, url, now }: OperatorOptions, signal: AbortSignal): Promise<void> {
  await ensureCrds(manager, [crdOf(CronJobVersions, { conversion: 'external' })], { install: true, revision: 1 });
  await addCronJobController(manager, now);
  const webhooks = await createWebhookServer(manager, server);
  webhooks.register(cronJobWebhook);
  webhooks.register(CronJobVersions);
  const install = async () => {
    const { host, port } = await webhooks.listening;
    const address = url ?? `https://${host}:${port}`;
    await installWebhooks(manager, webhooks, { name: NAME, url: address, failurePolicy: 'Fail' });
  };
  await Promise.all([manager.start(signal), install()]);
}
