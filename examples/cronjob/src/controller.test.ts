import { beforeEach, describe, expect, it } from '@jest/globals';
import { Job } from '@mcr/core';
import { InMemoryCluster } from '@mcr/core/testing';
import { crdOf } from '@mcr/kinds';
import { cronJobReconciler, indexJobs } from './controller.ts';
import { cronJobToCreate } from './cron-job.fixture.ts';
import { CronJob } from './cron-job.ts';
import { finishJob } from './finish-job.fixture.ts';
import { SCHEDULED_AT } from './jobs.ts';
import { ROLE } from './standby.ts';

const key = { namespace: 'default', name: 'report' };
const request = { clusterName: 'eu-1', ...key };
const created = Date.UTC(2026, 0, 1, 10, 0, 30);
const minutes = (count: number) => count * 60_000;

describe('the reconciler of a CronJob', () => {
  let cluster: InMemoryCluster;
  let time: Date;

  const start = async (spec: object = {}) => {
    const cronJob = cronJobToCreate(key.name, spec);
    const metadata = { ...cronJob.metadata, creationTimestamp: new Date(created).toISOString() };
    cluster = new InMemoryCluster({
      name: 'eu-1',
      crds: [crdOf(CronJob)],
      objects: [{ ...cronJob, metadata }],
    });
    await indexJobs(cluster.fieldIndexer);
  };
  const reconcile = () => cronJobReconciler(() => time)(request, cluster.context());
  const jobs = async () => (await cluster.client.list(Job)).items;
  const status = async () => (await cluster.client.get(CronJob, key)).status;
  const finish = async (type: 'Complete' | 'Failed') => {
    for (const job of await jobs()) {
      await finishJob(cluster.client, job, type, time);
    }
  };

  beforeEach(() => {
    time = new Date(created);
  });

  it('waits for the next run', async () => {
    await start();
    expect(await reconcile()).toEqual({ requeueAfter: 30_000 });
    expect(await jobs()).toEqual([]);
    expect(await status()).toMatchObject({ active: [], conditions: [{ type: 'Available', status: 'True' }, {}, {}] });
  });

  it('creates one Job for the latest run, and owns it', async () => {
    await start();
    time = new Date(created + minutes(5));
    expect(await reconcile()).toEqual({ requeueAfter: 30_000 });
    await reconcile();
    const { metadata } = await cluster.client.get(CronJob, key);
    await reconcile();
    expect((await cluster.client.get(CronJob, key)).metadata.resourceVersion).toBe(metadata.resourceVersion);
    const [job, ...more] = await jobs();
    expect(more).toEqual([]);
    expect(job?.metadata).toMatchObject({
      name: `report-${Date.UTC(2026, 0, 1, 10, 5) / 1000}`,
      labels: { app: 'report' },
      annotations: { [SCHEDULED_AT]: '2026-01-01T10:05:00.000Z' },
      ownerReferences: [{ kind: 'CronJob', name: 'report', controller: true }],
    });
    expect(await status()).toMatchObject({
      active: [{ kind: 'Job', name: job?.metadata.name }],
      lastScheduleTime: '2026-01-01T10:05:00.000Z',
    });
  });

  it('keeps the time of the last run when its Job is deleted', async () => {
    await start({ successfulJobsHistoryLimit: 0 });
    time = new Date(created + minutes(1));
    await reconcile();
    await finish('Complete');
    await reconcile();
    expect(await jobs()).toEqual([]);
    await reconcile();
    expect(await jobs()).toEqual([]);
    expect(await status()).toMatchObject({ active: [], lastScheduleTime: '2026-01-01T10:01:00.000Z' });
  });

  it('deletes the oldest Jobs beyond the limits', async () => {
    await start({ successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
    for (const type of ['Complete', 'Complete', 'Failed', 'Complete', 'Failed'] as const) {
      time = new Date(time.getTime() + minutes(1));
      await reconcile();
      await finish(type);
    }
    await reconcile();
    const runs = (await jobs()).map(({ metadata }) => metadata.annotations?.[SCHEDULED_AT]?.slice(11, 16));
    expect(runs).toEqual(['10:02', '10:04', '10:05']);
    expect((await status())?.conditions).toMatchObject([
      { type: 'Available', status: 'False', reason: 'JobsFailed' },
      { type: 'Progressing', status: 'False' },
      { type: 'Degraded', status: 'True', message: '2 Jobs failed' },
    ]);
  });

  it('starts nothing while suspended, which standby clusters are by default', async () => {
    await start();
    time = new Date(created + minutes(1));
    cluster.describe({ labels: { [ROLE]: 'standby' }, properties: {} });
    expect(await reconcile()).toBeUndefined();
    await cluster.client.patch(CronJob, key, { spec: { suspend: true } }, 'merge');
    cluster.describe({ labels: {}, properties: {} });
    expect(await reconcile()).toBeUndefined();
    expect(await jobs()).toEqual([]);
    await cluster.client.patch(CronJob, key, { spec: { suspend: false } }, 'merge');
    await reconcile();
    expect(await jobs()).toHaveLength(1);
  });

  it.each([
    ['Allow', ['10:01', '10:02']],
    ['Forbid', ['10:01']],
    ['Replace', ['10:02']],
  ])('with the policy %s, has the Jobs of %j while one is active', async (concurrencyPolicy, expected) => {
    await start({ concurrencyPolicy });
    for (const minute of [1, 2]) {
      time = new Date(created + minutes(minute));
      await reconcile();
    }
    const runs = (await jobs()).map(({ metadata }) => metadata.annotations?.[SCHEDULED_AT]?.slice(11, 16));
    expect(runs).toEqual(expected);
  });

  it('skips a run after its deadline, and reports it', async () => {
    await start({ startingDeadlineSeconds: 29 });
    time = new Date(created + minutes(1));
    expect(await reconcile()).toEqual({ requeueAfter: 30_000 });
    expect(await jobs()).toEqual([]);
    expect(cluster.events).toMatchObject([
      { reason: 'MissedSchedule', note: 'missed the run of 2026-01-01T10:01:00.000Z' },
    ]);
    time = new Date(time.getTime() - 1_000);
    await reconcile();
    expect(await jobs()).toHaveLength(1);
  });

  it('ignores a CronJob that was deleted', async () => {
    await start();
    await cluster.client.delete(CronJob, key);
    expect(await reconcile()).toBeUndefined();
  });
});
