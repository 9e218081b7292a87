import type { JsonObject } from '../../storage/stored-object.ts';
import type { DefaultsTable } from './table.ts';
import { child, fill, fillAbsent, items } from './table.ts';

const RECREATE_NOTHING = 'RollingUpdate';
const LARGEST_COUNT = 2_147_483_647;

function setJobSpec(spec: JsonObject): void {
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1;
  const isIndexed = spec['backoffLimitPerIndex'] !== undefined;
  fillAbsent(spec, {
    parallelism: 1,
    backoffLimit: isIndexed ? LARGEST_COUNT : 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  });
}

function setAutoscaler(autoscaler: JsonObject): void {
  const spec = child(autoscaler, 'spec');
  fill(spec, { minReplicas: 1 });
  if (items(spec, 'metrics').length === 0) {
    const target = { type: 'Utilization', averageUtilization: 80 };
    spec['metrics'] = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
  const behavior = spec['behavior'] as JsonObject | undefined;
  if (!behavior) return;
  fillAbsent(child(behavior, 'scaleUp'), {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  });
  fillAbsent(child(behavior, 'scaleDown'), {
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  });
}

/**
 * Defaults of workloads (upstream: `defaults.go` of `pkg/apis/apps/v1`, `pkg/apis/batch/v1` and
 * `pkg/apis/autoscaling/v2`).
 */
export const workloadDefaults: DefaultsTable = {
  Deployment: (deployment) => {
    const spec = child(deployment, 'spec');
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    const strategy = child(spec, 'strategy');
    fill(strategy, { type: RECREATE_NOTHING });
    if (strategy['type'] === RECREATE_NOTHING) {
      fill(child(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
    }
    child(spec, 'template');
  },
  DaemonSet: (daemonSet) => {
    const spec = child(daemonSet, 'spec');
    fill(spec, { revisionHistoryLimit: 10 });
    const strategy = child(spec, 'updateStrategy');
    fill(strategy, { type: RECREATE_NOTHING });
    if (strategy['type'] === RECREATE_NOTHING) {
      fill(child(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
    }
    child(spec, 'template');
  },
  StatefulSet: (statefulSet) => {
    const spec = child(statefulSet, 'spec');
    fill(spec, { podManagementPolicy: 'OrderedReady', replicas: 1, revisionHistoryLimit: 10 });
    spec['serviceName'] ??= '';
    const strategy = child(spec, 'updateStrategy');
    if (!strategy['type']) {
      strategy['type'] = RECREATE_NOTHING;
      child(strategy, 'rollingUpdate');
    }
    const rolling = strategy['rollingUpdate'] as JsonObject | undefined;
    if (strategy['type'] === RECREATE_NOTHING && rolling) fill(rolling, { partition: 0 });
    fill(child(spec, 'persistentVolumeClaimRetentionPolicy'), { whenDeleted: 'Retain', whenScaled: 'Retain' });
    for (const claim of items(spec, 'volumeClaimTemplates')) {
      fill(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
      // Written because the type of the status has no absent value.
      fill(child(claim, 'status'), { phase: 'Pending' });
    }
    child(spec, 'template');
  },
  ReplicaSet: (replicaSet) => {
    const spec = child(replicaSet, 'spec');
    fill(spec, { replicas: 1 });
    child(spec, 'template');
  },
  Job: (job) => {
    const spec = child(job, 'spec');
    const metadata = child(child(spec, 'template'), 'metadata');
    const labels = metadata['labels'] as JsonObject | undefined;
    const own = child(job, 'metadata');
    // The same object, as upstream: labels that the server adds to the template also become those of the Job.
    if (labels && Object.keys(own['labels'] ?? {}).length === 0) own['labels'] = labels;
    setJobSpec(spec);
  },
  CronJob: (cronJob) => {
    const spec = child(cronJob, 'spec');
    fill(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    const template = child(spec, 'jobTemplate');
    template['metadata'] ??= {};
    child(child(template, 'spec'), 'template');
  },
  PodFailurePolicyOnPodConditionsPattern: (pattern) => fill(pattern, { status: 'True' }),
  HorizontalPodAutoscaler: setAutoscaler,
};
