import type { Client, DeepReadonly } from '@mcr/core';
import { Job } from '@mcr/core';

/** Ends a Job that is active, as the Job controller does, which the API servers of tests do not run. */
export async function finishJob(
  client: Client,
  { metadata, status: before }: DeepReadonly<Job>,
  type: 'Complete' | 'Failed',
  time: Date,
): Promise<void> {
  if (before?.conditions) return;
  const lastTransitionTime = time.toISOString();
  const cause = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const conditions = [cause, type].map((each) => ({ type: each, status: 'True', lastTransitionTime }));
  const end = type === 'Complete' ? { completionTime: lastTransitionTime } : {};
  const status = { startTime: lastTransitionTime, ...end, conditions };
  await client.status.patch(Job, metadata, { status }, 'merge');
}
