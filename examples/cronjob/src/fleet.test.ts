import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineKind, Job } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { newObject } from '@mcr/kinds';
import { cronJobToCreate } from './cron-job.fixture.ts';
import { CronJob, CronJobV2 } from './cron-job.ts';
import { finishJob } from './finish-job.fixture.ts';
import type { CronJobFleet, Member } from './fleet.ts';
import { startCronJobFleet } from './fleet.ts';

const hasBinaries = process.env['KUBEBUILDER_ASSETS'] !== undefined;
const backends = hasBinaries ? (['embedded', 'binaries'] as const) : (['embedded'] as const);
const WITHIN = { deadline: 60_000, interval: 100 };
const namespace = 'default';

/** The kind without its schema, so that only the API server checks objects. */
const Unchecked = defineKind({
  ...{ apiVersion: CronJob.apiVersion, kind: CronJob.kind, plural: CronJob.plural, scope: CronJob.scope },
});

describe.each(backends)('the operator of three clusters on %s', (backend) => {
  let fleet: CronJobFleet;
  const inEach = <Value>(read: (member: Member) => Promise<Value>) => Promise.all(fleet.members.map(read));
  const broken = { ...cronJobToCreate('broken'), spec: { ...cronJobToCreate('broken').spec, schedule: '* * * * 8' } };

  beforeAll(async () => {
    fleet = await startCronJobFleet(backend);
    // API servers notice webhooks after a moment.
    await eventually(async () => {
      await inEach(({ client }) =>
        expect(client.create(Unchecked, broken, { dryRun: true })).rejects.toThrow('expected a schedule'),
      );
      await inEach(({ client }) => client.list(CronJobV2, { namespace }));
    }, WITHIN);
  }, 240_000);
  afterAll(async () => fleet[Symbol.asyncDispose]());

  it('refuses a wrong schedule in each cluster, and names the field', async () => {
    for (const { client } of fleet.members) {
      await expect(client.create(Unchecked, broken)).rejects.toMatchObject({
        status: 422,
        details: { causes: [{ field: 'spec.schedule' }] },
      });
    }
  });

  it('suspends CronJobs in the cluster on standby only', async () => {
    const created = await inEach(({ client }) => client.create(CronJob, cronJobToCreate('defaults'), { dryRun: true }));
    expect(created.map(({ spec }) => spec.suspend)).toEqual([false, false, true]);
  });

  it('serves a CronJob in both versions', async () => {
    const name = 'versions';
    const v2 = newObject(CronJobV2, {
      metadata: { namespace, name },
      spec: { ...cronJobToCreate(name).spec, suspend: true, schedule: { minute: '0', dayOfWeek: 'MON-FRI' } },
    });
    const read = await inEach(async ({ client }) => {
      await client.create(CronJobV2, v2);
      const { spec } = await client.get(CronJob, { namespace, name });
      await client.patch(CronJob, { namespace, name }, { spec: { schedule: '0 9 1 * *' } }, 'merge');
      return [spec.schedule, (await client.get(CronJobV2, { namespace, name })).spec.schedule];
    });
    const parts = { minute: '0', hour: '9', dayOfMonth: '1', month: '*', dayOfWeek: '*' };
    expect(read).toEqual(Array(3).fill(['0 * * * MON-FRI', parts]));
  });

  it('refuses a version 2 whose schedule is wrong in version 1', async () => {
    const { spec } = cronJobToCreate('broken');
    const v2 = newObject(CronJobV2, {
      metadata: { namespace, name: 'broken' },
      spec: { ...spec, schedule: { dayOfWeek: '8' } },
    });
    await inEach(({ client }) => expect(client.create(CronJobV2, v2)).rejects.toThrow('spec.schedule'));
  });

  it('creates Jobs where they are due, reports them, and keeps as many as the limits say', async () => {
    const key = { namespace, name: 'report' };
    const jobsOf = async ({ client }: Member) => (await client.list(Job, { namespace })).items;
    /** Moves the clock ahead, and lets the controller know. */
    const advance = async () => {
      fleet.advance();
      const annotations = { 'example.com/touched': String(Math.random()) };
      await inEach(({ client }) => client.patch(CronJob, key, { metadata: { annotations } }, 'merge'));
    };
    const numbersAre = (...expected: readonly number[]) =>
      eventually(async () => expect((await inEach(jobsOf)).map(({ length }) => length)).toEqual(expected), WITHIN);

    await inEach(({ client }) => client.create(CronJob, cronJobToCreate('report', { successfulJobsHistoryLimit: 1 })));
    await advance();
    await numbersAre(1, 1, 0);
    await eventually(async () => {
      const [first, , third] = await inEach(({ client }) => client.get(CronJob, key));
      expect(first?.status).toMatchObject({ active: [{ kind: 'Job' }], lastScheduleTime: expect.any(String) });
      expect(third?.status?.conditions).toContainEqual(expect.objectContaining({ reason: 'Suspended' }));
    }, WITHIN);

    const finish = async (member: Member) => {
      for (const job of await jobsOf(member)) await finishJob(member.client, job, 'Complete', new Date());
    };
    await inEach(finish);
    await advance();
    await numbersAre(2, 2, 0);
    await inEach(finish);
    await numbersAre(1, 1, 0);
  });
});
