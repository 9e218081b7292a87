import type { DeepReadonly, Job } from '@mcr/core';
import type { CronJob } from './cron-job.ts';
import { missedRun } from './schedule.ts';

/** The next action: wait for the next run, start the latest one, or skip it. */
export type DueRun =
  | { readonly action: 'wait' }
  | { readonly action: 'skip'; readonly reason: string; readonly note: string }
  | { readonly action: 'start'; readonly run: Date; readonly replaces: readonly DeepReadonly<Job>[] };

/**
 * Decides about the latest run that has no Job. Earlier ones are not made up for.
 *
 * @param active the Jobs that are running.
 */
export function dueRun(
  { metadata, spec, status }: DeepReadonly<CronJob>,
  active: readonly DeepReadonly<Job>[],
  time: Date,
): DueRun {
  const { schedule, startingDeadlineSeconds = Infinity, concurrencyPolicy } = spec;
  const run = missedRun(schedule, new Date(status?.lastScheduleTime ?? metadata.creationTimestamp), time);
  if (!run) return { action: 'wait' };
  if (time.getTime() - run.getTime() > startingDeadlineSeconds * 1000) {
    return { action: 'skip', reason: 'MissedSchedule', note: `missed the run of ${run.toISOString()}` };
  }
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    return { action: 'skip', reason: 'JobActive', note: `no Job for ${run.toISOString()} while another one is active` };
  }
  return { action: 'start', run, replaces: concurrencyPolicy === 'Replace' ? active : [] };
}
