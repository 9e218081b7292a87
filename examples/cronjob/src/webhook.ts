import { webhookFor } from '@mcr/webhook';
import { CronJob } from './cron-job.ts';
import { isStandby } from './standby.ts';

/** Checks CronJobs with their schema, and suspends those of standby clusters unless they say otherwise. */
export const cronJobWebhook = webhookFor(CronJob)
  .fromSchema()
  .default(({ spec }, { cluster }) => {
    // This replica may not serve the cluster, and so not know its labels. The controller has the same default.
    if (cluster.labels) spec.suspend ??= isStandby(cluster.labels);
  });
