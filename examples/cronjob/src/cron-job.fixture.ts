import { newObject } from '@mcr/kinds';
import { CronJob } from './cron-job.ts';

/** A template of Jobs that an API server accepts. */
const jobTemplate = {
  metadata: { labels: { app: 'report' } },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/report' }] } } },
};

/** Returns a CronJob that runs every minute. */
export function cronJobToCreate(name: string, spec: object = {}) {
  return newObject(CronJob, {
    metadata: { namespace: 'default', name },
    spec: { schedule: '* * * * *', jobTemplate, ...spec },
  });
}
