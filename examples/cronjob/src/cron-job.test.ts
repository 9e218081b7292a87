import { describe, expect, it } from '@jest/globals';
import type { Draft } from '@mcr/core';
import { InMemoryClient } from '@mcr/core/testing';
import { crdOf, newObject } from '@mcr/kinds';
import { checkConversions } from '@mcr/kinds/testing';
import { admit } from '@mcr/webhook';
import { cronJobToCreate } from './cron-job.fixture.ts';
import { CronJob, CronJobVersions, CronJobV2 } from './cron-job.ts';
import { ROLE } from './standby.ts';
import { cronJobWebhook } from './webhook.ts';

/** Adds what an API server sets. */
const read = (draft: Draft<CronJob>) =>
  ({ ...draft, metadata: { ...draft.metadata, uid: '1', resourceVersion: '1', creationTimestamp: '' } }) as CronJob;

describe('the kind CronJob', () => {
  it('converts between its versions without a loss', () => {
    expect(checkConversions(CronJobVersions, { runs: 20 })).toBe(40);
    const v2 = CronJobVersions.convert(
      read(cronJobToCreate('report', { schedule: '*/5 9-17 * * MON-FRI' })),
      CronJobV2.apiVersion,
    );
    expect(v2).toMatchObject({
      spec: { schedule: { minute: '*/5', hour: '9-17', dayOfMonth: '*', month: '*', dayOfWeek: 'MON-FRI' } },
    });
  });

  it('has defaults', () => {
    expect(cronJobToCreate('report').spec).toMatchObject({
      ...{ concurrencyPolicy: 'Allow', successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
    });
    const { metadata, spec } = cronJobToCreate('report');
    const v2 = newObject(CronJobV2, { metadata, spec: { ...spec, schedule: { minute: '0' } } });
    expect(v2.spec.schedule).toEqual({ minute: '0', hour: '*', dayOfMonth: '*', month: '*', dayOfWeek: '*' });
  });

  it('is checked before it is sent', () => {
    expect(() => cronJobToCreate('report', { schedule: '* * * * 8' })).toThrow(
      'spec.schedule: expected a schedule such as "*/5 9-17 * * MON-FRI", which runs at least once',
    );
  });

  it('has a limit for its name, which API servers check', async () => {
    const client = new InMemoryClient({ crds: [crdOf(CronJobVersions, { conversion: 'external' })] });
    await client.create(CronJob, cronJobToCreate('r'.repeat(52)));
    await expect(client.create(CronJob, cronJobToCreate('r'.repeat(53)))).rejects.toThrow(
      'the name must have at most 52 characters',
    );
  });
});

describe('the webhook of CronJobs', () => {
  it('refuses a schedule that cron does not know', async () => {
    const cronJob = read(cronJobToCreate('report'));
    const broken = { ...cronJob, spec: { ...cronJob.spec, schedule: 'every day at nine o’clock' } };
    const { allowed, denial } = await admit(cronJobWebhook, broken);
    expect(allowed).toBe(false);
    expect(denial?.causes).toMatchObject([{ field: 'spec.schedule' }]);
  });

  it('suspends CronJobs of standby clusters, unless they say otherwise', async () => {
    const suspendIn = async (role: string, spec: object = {}) => {
      const cluster = { name: 'eu-1', labels: { [ROLE]: role } };
      return (await admit(cronJobWebhook, read(cronJobToCreate('report', spec)), { cluster })).object.spec.suspend;
    };
    expect(await suspendIn('primary')).toBe(false);
    expect(await suspendIn('standby')).toBe(true);
    expect(await suspendIn('standby', { suspend: false })).toBe(false);
  });
});
