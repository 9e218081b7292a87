import type { DeepReadonly, Draft, Job } from '@mcr/core';
import { draftOf, isConditionTrue, setControllerReference } from '@mcr/core';
import type { CronJob } from './cron-job.ts';

/** Annotation of a Job: the time that it was scheduled for. */
export const SCHEDULED_AT = 'batch.tutorial.kubebuilder.io/scheduled-at';

/** The Jobs of a CronJob by their state. */
export type JobsByState = Record<'active' | 'successful' | 'failed', DeepReadonly<Job>[]>;

/** Divides Jobs by their state. */
export function jobsByState(jobs: readonly DeepReadonly<Job>[]): JobsByState {
  const byState = Object.groupBy(jobs, ({ status }) => {
    if (isConditionTrue(status?.conditions, 'Failed')) return 'failed';
    return isConditionTrue(status?.conditions, 'Complete') ? 'successful' : 'active';
  });
  return { active: [], successful: [], failed: [], ...byState };
}

/** Returns the oldest Jobs, all but `limit`. */
export function excessJobs(jobs: readonly DeepReadonly<Job>[], limit: number): DeepReadonly<Job>[] {
  const startOf = ({ status }: DeepReadonly<Job>) => status?.startTime ?? '';
  const byAge = jobs.toSorted((a, b) => startOf(a).localeCompare(startOf(b)));
  return byAge.slice(0, Math.max(jobs.length - limit, 0));
}

/** Returns the latest time for which there was a Job. A Job may have been deleted, so the status counts, too. */
export function lastRun({ status }: DeepReadonly<CronJob>, jobs: readonly DeepReadonly<Job>[]): Date | undefined {
  const annotations = jobs.map(({ metadata }) => metadata.annotations?.[SCHEDULED_AT]);
  const times = [status?.lastScheduleTime, ...annotations].map((text = '') => Date.parse(text)).filter(Number.isFinite);
  return times.length > 0 ? new Date(Math.max(...times)) : undefined;
}

/** Returns the Job of one run. Its name is the same for the same run, so that a run never has two Jobs. */
export function jobFor(cronJob: DeepReadonly<CronJob>, run: Date): Draft<Job> {
  const { namespace = '', name } = cronJob.metadata;
  const { metadata: { labels = {}, annotations } = {}, spec } = draftOf(cronJob).spec.jobTemplate;
  const job = {
    metadata: {
      namespace,
      name: `${name}-${run.getTime() / 1000}`,
      labels,
      annotations: { ...annotations, [SCHEDULED_AT]: run.toISOString() },
    },
    ...(spec && { spec }),
  };
  setControllerReference(cronJob, job);
  return job;
}
