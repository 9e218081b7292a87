import { humanDuration } from '@mcr/client';
import { cronJobErrors, jobErrors } from '../validation/job.ts';
import { admitJob, labelJob } from '../admission/job.ts';
import { agoColumn, flagColumn, listAt, templateColumns } from '../cells.ts';
import { ageColumn, nameColumn, textColumn } from '../columns.ts';
import type { ApiObject } from '../../storage/stored-object.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import type { KindRow } from '../kind-row.ts';
import { ofCronJob, ofJob } from '../warnings/workload.ts';

const finishedOr = ['Complete', 'Failed', 'Terminating', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function jobStatus(job: ApiObject): string {
  const conditions = listAt(job, 'status.conditions').filter((each) => valueAt(each, 'status') === 'True');
  const types = new Set(conditions.map((each) => valueAt(each, 'type')));
  if (job.metadata.deletionTimestamp !== undefined) types.add('Terminating');
  return finishedOr.find((type) => types.has(type)) ?? 'Running';
}

function jobCompletions(job: ApiObject): string {
  const succeeded = scalarText(valueAt(job, 'status.succeeded') ?? 0);
  const completions = valueAt(job, 'spec.completions');
  if (completions !== undefined) return `${succeeded}/${scalarText(completions)}`;
  const parallelism = Number(valueAt(job, 'spec.parallelism') ?? 0);
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: ApiObject): string {
  const [start, end] = ['startTime', 'completionTime'].map((field) => valueAt(job, `status.${field}`));
  if (typeof start !== 'string') return '';
  return humanDuration((typeof end === 'string' ? Date.parse(end) : Date.now()) - Date.parse(start));
}

/** Work that ends. */
export const batchKinds: readonly KindRow[] = [
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    validate: jobErrors,
    warnings: ofJob,
    plural: 'jobs',
    categories: ['all'],
    statusSubresource: true,
    countsGeneration: true,
    admit: admitJob,
    settle: labelJob,
    fields: { 'status.successful': { path: 'status.succeeded', absent: '0' } },
    columns: [
      nameColumn,
      { name: 'Status', type: 'string', cell: jobStatus },
      { name: 'Completions', type: 'string', cell: jobCompletions },
      { name: 'Duration', type: 'string', cell: jobDuration },
      ageColumn,
      ...templateColumns('spec.template.spec', 'spec.selector'),
    ],
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    validate: cronJobErrors,
    warnings: ofCronJob,
    plural: 'cronjobs',
    shortNames: ['cj'],
    categories: ['all'],
    statusSubresource: true,
    countsGeneration: true,
    columns: [
      nameColumn,
      textColumn('Schedule', 'spec.schedule'),
      textColumn('Timezone', 'spec.timeZone', '<none>'),
      {
        ...flagColumn('Suspend', 'spec.suspend'),
        // Upstream sends the text of a pointer.
        cell: (cronJob) => (valueAt(cronJob, 'spec.suspend') === true ? 'True' : 'False'),
      },
      { name: 'Active', type: 'integer', cell: (cronJob) => listAt(cronJob, 'status.active').length },
      agoColumn('Last Schedule', 'status.lastScheduleTime'),
      ageColumn,
      ...templateColumns('spec.jobTemplate.spec.template.spec', 'spec.jobTemplate.spec.selector'),
    ],
  },
];
