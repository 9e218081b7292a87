import { isDeepStrictEqual } from 'node:util';
import type { Client, DeepReadonly, Draft, FieldIndexer, Manager, ReconcileFunction } from '@mcr/core';
import { controllerManagedBy, controllerOf, EventsV1Event, isAlreadyExists, isNotFound, Job } from '@mcr/core';
import { CronJob } from './cron-job.ts';
import { dueRun } from './due-run.ts';
import { excessJobs, jobFor, jobsByState } from './jobs.ts';
import { nextRun } from './schedule.ts';
import { isStandby } from './standby.ts';
import { statusOf } from './status.ts';

const BY_CRON_JOB = 'metadata.controller';

/**
 * Runs the CronJobs of every cluster.
 *
 * @param now returns the time. Default: the system clock.
 */
export async function addCronJobController(manager: Manager, now?: () => Date): Promise<void> {
  await indexJobs(manager.fieldIndexer);
  await controllerManagedBy(manager)
    .for(CronJob)
    .owns(Job)
    .requires(
      { kind: CronJob, subresource: 'status', verbs: ['patch'] },
      { kind: Job, verbs: ['create', 'delete'] },
      { kind: EventsV1Event, verbs: ['create', 'patch'] },
    )
    .complete(cronJobReconciler(now));
}

/** Indexes Jobs by the CronJob that owns them. */
export async function indexJobs(indexer: FieldIndexer): Promise<void> {
  await indexer.indexField(Job, BY_CRON_JOB, (job) => {
    const owner = controllerOf(job);
    return owner?.apiVersion === CronJob.apiVersion && owner.kind === CronJob.kind ? [owner.name] : [];
  });
}

/** Returns the reconciler of a CronJob. */
export function cronJobReconciler(now = () => new Date()): ReconcileFunction {
  return async (request, { cluster, log, signal }) => {
    const member = await cluster();
    const { client } = member;
    const cronJob = await client.find(CronJob, request, { signal });
    if (!cronJob || cronJob.metadata.deletionTimestamp) return undefined;

    // Report the Jobs in the status.
    const index = { name: BY_CRON_JOB, value: request.name };
    const { items } = await client.list(Job, { namespace: request.namespace, index, signal });
    const jobs = jobsByState(items);
    const status = statusOf(cronJob, jobs);
    if (!isDeepStrictEqual(status, cronJob.status)) {
      await client.status.patch(CronJob, request, { status }, 'merge', { signal });
    }

    // Delete the oldest Jobs.
    const { spec } = cronJob;
    await deleteJobs(client, excessJobs(jobs.failed, spec.failedJobsHistoryLimit), signal);
    await deleteJobs(client, excessJobs(jobs.successful, spec.successfulJobsHistoryLimit), signal);
    if (spec.suspend ?? isStandby(member.info.labels)) return undefined;

    // Create the Job of the latest run, and come back for the next one.
    const time = now();
    const due = dueRun({ ...cronJob, status }, jobs.active, time);
    if (due.action === 'skip') {
      member.eventRecorder('cronjob').event(cronJob, { type: 'Warning', reason: due.reason, note: due.note });
    }
    if (due.action === 'start') {
      await deleteJobs(client, due.replaces, signal);
      await createJob(client, jobFor(cronJob, due.run), signal);
      log.info('created Job', { run: due.run });
    }

    const next = nextRun(spec.schedule, time);
    return next && { requeueAfter: next.getTime() - time.getTime() };
  };
}

async function createJob(client: Client, job: Draft<Job>, signal: AbortSignal): Promise<void> {
  try {
    await client.create(Job, job, { signal });
  } catch (error) {
    // The cache does not have the Job yet.
    if (!isAlreadyExists(error)) throw error;
  }
}

async function deleteJobs(client: Client, jobs: readonly DeepReadonly<Job>[], signal: AbortSignal): Promise<void> {
  for (const { metadata } of jobs) {
    try {
      await client.delete(Job, metadata, { propagationPolicy: 'Background', signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
