import type { Condition, ConditionUpdate, DeepReadonly } from '@mcr/core';
import { draftOf, Job, setCondition } from '@mcr/core';
import type { CronJob } from './cron-job.ts';
import { type JobsByState, lastRun } from './jobs.ts';

/** Returns the status of a CronJob that has these Jobs. */
export function statusOf(cronJob: DeepReadonly<CronJob>, jobs: JobsByState): NonNullable<CronJob['status']> {
  const { active, successful, failed } = jobs;
  const { apiVersion, kind } = Job;
  const last = lastRun(cronJob, [...active, ...successful, ...failed]);
  return {
    active: active.map(({ metadata: { namespace = '', name, uid } }) => ({ apiVersion, kind, namespace, name, uid })),
    ...(last && { lastScheduleTime: last.toISOString() }),
    conditions: conditionsOf(cronJob, jobs),
  };
}

function conditionsOf(cronJob: DeepReadonly<CronJob>, { active, failed }: JobsByState): Condition[] {
  const conditions = draftOf(cronJob).status?.conditions ?? [];
  const set = (type: string, holds: boolean, { reason, message }: Pick<ConditionUpdate, 'reason' | 'message'>) =>
    setCondition(conditions, { type, status: holds ? 'True' : 'False', reason, message });
  const work = {
    reason: active.length > 0 ? 'JobsActive' : 'NoJobsActive',
    message: `${active.length} Jobs are active`,
  };
  const health = { reason: failed.length > 0 ? 'JobsFailed' : 'NoJobsFailed', message: `${failed.length} Jobs failed` };
  const suspended = { reason: 'Suspended', message: 'the CronJob is suspended' };
  const { suspend } = cronJob.spec;
  set('Available', !suspend && failed.length === 0, suspend ? suspended : failed.length > 0 ? health : work);
  set('Progressing', active.length > 0, work);
  set('Degraded', failed.length > 0, health);
  return conditions;
}
