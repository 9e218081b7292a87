import { defineKind, defineKindVersions, k8s, type ObjectOf } from '@mcr/kinds';
import { z } from 'zod';
import { isSchedule } from './schedule.ts';

/** The options that both versions have. */
const shared = {
  kind: 'CronJob',
  plural: 'cronjobs',
  scope: 'Namespaced',
  admission: 'webhook',
  // A Job is named after its CronJob and its time, and its name may have 63 characters.
  rules: [{ rule: 'self.metadata.name.size() <= 52', message: 'the name must have at most 52 characters' }],
  status: z.object({
    active: z.array(k8s.objectReference()).optional().describe('Jobs that are running.'),
    lastScheduleTime: k8s.time().optional().describe('Time for which a Job was last created.'),
    conditions: k8s.conditions().optional(),
  }),
} as const;
const fields = {
  startingDeadlineSeconds: z.int().min(0).optional().describe('How late a Job may start.'),
  concurrencyPolicy: z.enum(['Allow', 'Forbid', 'Replace']).default('Allow').describe('What to do while a Job runs.'),
  suspend: z.boolean().optional().describe('Starts no Jobs. Default: true in standby clusters.'),
  jobTemplate: k8s.jobTemplateSpec(),
  successfulJobsHistoryLimit: z.int32().min(0).default(3).describe('Number of successful Jobs to keep.'),
  failedJobsHistoryLimit: z.int32().min(0).default(1).describe('Number of failed Jobs to keep.'),
};

/** A CronJob, whose schedule is a text. The controller and the webhook use this version. */
export const CronJob = defineKind({
  ...shared,
  apiVersion: 'batch.tutorial.kubebuilder.io/v1',
  spec: z.object({
    ...fields,
    schedule: z
      .string()
      .max(100)
      .regex(/^\S+( \S+){4}$/)
      .refine(isSchedule, 'expected a schedule such as "*/5 9-17 * * MON-FRI", which runs at least once')
      .meta({ examples: ['* * * * *', '*/15 9-17 1,15 JAN-JUN MON'] }),
  }),
});
export type CronJob = ObjectOf<typeof CronJob>;

const part = (...examples: string[]) => z.string().max(18).regex(/^\S+$/).default('*').meta({ examples });

/** A CronJob, whose schedule has a field for each of its parts. */
export const CronJobV2 = defineKind({
  ...shared,
  apiVersion: 'batch.tutorial.kubebuilder.io/v2',
  spec: z.object({
    ...fields,
    schedule: z.object({
      minute: part('0', '*/15'),
      hour: part('0', '9-17'),
      dayOfMonth: part('1', '1,15'),
      month: part('1', 'JAN-JUN'),
      dayOfWeek: part('0', 'MON-FRI'),
    }),
  }),
});

/** The kind in both versions. API servers store the first one. */
export const CronJobVersions = defineKindVersions({
  storage: CronJob,
  served: [CronJobV2],
  convert: {
    v2: {
      up: (object) => {
        const { minute, hour, dayOfMonth, month, dayOfWeek } = object.spec.schedule;
        const schedule = [minute, hour, dayOfMonth, month, dayOfWeek].join(' ');
        return { ...object, spec: { ...object.spec, schedule } };
      },
      down: (object) => {
        const [minute = '*', hour = '*', dayOfMonth = '*', month = '*', dayOfWeek = '*'] =
          object.spec.schedule.split(' ');
        const schedule = { minute, hour, dayOfMonth, month, dayOfWeek };
        return { ...object, spec: { ...object.spec, schedule } };
      },
    },
  },
});
