import { autoscalerErrors } from '../validation/autoscaler.ts';
import { listAt } from '../cells.ts';
import { ageColumn, nameColumn, textColumn } from '../columns.ts';
import { autoscalerV1View } from '../autoscaler.ts';
import type { Column } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import type { KindRow } from '../kind-row.ts';

const SHOWN_METRICS = 2;

/** Returns the current and the target value of a metric. */
function metricText(metric: unknown, status: unknown): string {
  const type = scalarText(valueAt(metric, 'type'));
  const source = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const target = valueAt(metric, `${source}.target`);
  const current = valueAt(status, `${source}.current`);
  const pair = (field: string, unit = ''): string => {
    const value = valueAt(current, field);
    const now = value === undefined ? '<unknown>' : `${scalarText(value)}${unit}`;
    return `${now}/${scalarText(valueAt(target, field))}${unit}`;
  };
  const isResource = type === 'Resource' || type === 'ContainerResource';
  const prefix = isResource ? `${scalarText(valueAt(metric, `${source}.name`))}: ` : '';
  if (valueAt(target, 'averageUtilization') !== undefined) return `${prefix}${pair('averageUtilization', '%')}`;
  if (valueAt(target, 'averageValue') === undefined) return pair('value');
  const average = pair('averageValue');
  return isResource || type === 'Pods' ? `${prefix}${average}` : `${average} (avg)`;
}

const columns: readonly Column[] = [
  nameColumn,
  {
    name: 'Reference',
    type: 'string',
    cell: (autoscaler) =>
      ['kind', 'name'].map((field) => scalarText(valueAt(autoscaler, `spec.scaleTargetRef.${field}`))).join('/'),
  },
  {
    name: 'Targets',
    type: 'string',
    cell: (autoscaler) => {
      const metrics = listAt(autoscaler, 'spec.metrics');
      const statuses = listAt(autoscaler, 'status.currentMetrics');
      if (metrics.length === 0) return '<none>';
      const shown = metrics.slice(0, SHOWN_METRICS).map((metric, index) => metricText(metric, statuses[index]));
      const more = metrics.length - shown.length;
      return more > 0 ? `${shown.join(', ')} + ${more} more...` : shown.join(', ');
    },
  },
  {
    ...textColumn('MinPods', 'spec.minReplicas', '<unset>'),
    cell: (it) => scalarText(valueAt(it, 'spec.minReplicas')) || '<unset>',
  },
  { name: 'MaxPods', type: 'string', cell: (autoscaler) => valueAt(autoscaler, 'spec.maxReplicas') ?? 0 },
  { name: 'Replicas', type: 'string', cell: (autoscaler) => valueAt(autoscaler, 'status.currentReplicas') ?? 0 },
  ageColumn,
];

const autoscaler = {
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  statusSubresource: true,
  validate: autoscalerErrors,
  columns,
} as const;

/** Autoscalers, in the version that is stored and in the older one. */
export const autoscalingKinds: readonly KindRow[] = [
  { ...autoscaler, apiVersion: 'autoscaling/v2' },
  {
    ...autoscaler,
    apiVersion: 'autoscaling/v1',
    schemaType: 'HorizontalPodAutoscalerV1',
    view: autoscalerV1View,
  },
];
