/** Label of a cluster: CronJobs of a cluster with the value `standby` are suspended, unless they say otherwise. */
export const ROLE = 'batch.tutorial.kubebuilder.io/role';

/** Whether CronJobs of a cluster with these labels are suspended by default. */
export function isStandby(labels: Readonly<Record<string, string>>): boolean {
  return labels[ROLE] === 'standby';
}
