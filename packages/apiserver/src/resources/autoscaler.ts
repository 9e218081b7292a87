import { builtInSchema } from '../schema/built-in-schema.ts';
import { goDecode } from '../schema/go-decode.ts';
import { StatusError } from '../status.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';
import { fromV1Metric, toV1Metric } from './autoscaler-metric.ts';
import { listAt } from './cells.ts';
import type { ResourceType, VersionView } from './resource-type.ts';
import { valueAt } from './resource-type.ts';

/** Annotations in which `autoscaling/v1` keeps what it has no fields for. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';

/** HorizontalPodAutoscalers are stored as `autoscaling/v2` and also served as `autoscaling/v1`. */
export const autoscalerV1View: VersionView = { fromStored: toV1, toStored: fromV1 };

const TARGET_UTILIZATION = 80;

/**
 * Returns an autoscaler that was converted from another version with its reference, and with the default metric if it has
 * none: an apply by a manager that used the other version before keeps them. An object of another kind is returned as is.
 */
export function completeAutoscaler({ storage, version }: ResourceType, converted: ApiObject): ApiObject {
  if (storage !== 'horizontalpodautoscalers.autoscaling') return converted;
  // Go always writes the reference, which is not a pointer.
  const spec: JsonObject = { scaleTargetRef: { kind: '', name: '' }, ...(converted['spec'] as JsonObject | undefined) };
  const object = { ...converted, spec };
  if (version === 'v2') {
    if (listAt(spec, 'metrics').length > 0) return object;
    return { ...object, spec: { ...spec, metrics: [cpuMetric('target', TARGET_UTILIZATION)] } };
  }
  if (spec['targetCPUUtilizationPercentage'] !== undefined || annotationsOf(object)[METRICS] !== undefined)
    return object;
  return { ...object, spec: { ...spec, targetCPUUtilizationPercentage: TARGET_UTILIZATION } };
}

function isCpu(metric: unknown): boolean {
  return valueAt(metric, 'type') === 'Resource' && valueAt(metric, 'resource.name') === 'cpu';
}

function cpuMetric(part: 'target' | 'current', averageUtilization: unknown): object {
  const type = part === 'target' ? { type: 'Utilization' } : {};
  return { type: 'Resource', resource: { name: 'cpu', [part]: { ...type, averageUtilization } } };
}

function toV1({ spec, status, ...object }: ApiObject): ApiObject {
  const { metrics: _metrics, behavior, ...rest } = (spec ?? {}) as JsonObject;
  const metrics = listAt(spec, 'metrics');
  const isMain = (metric: unknown): boolean =>
    isCpu(metric) && valueAt(metric, 'resource.target.averageUtilization') !== undefined;
  const main = metrics.find(isMain);
  const utilization = valueAt(main, 'resource.target.averageUtilization');
  const others = metrics.filter((metric) => metric !== main).map((metric) => toV1Metric(metric, 'target'));
  const currentMetrics = listAt(status, 'currentMetrics');
  const conditions = listAt(status, 'conditions');
  const annotations = {
    ...annotationsOf(object),
    ...(others.length > 0 && { [METRICS]: JSON.stringify(others) }),
    ...(currentMetrics.length > 0 && {
      [CURRENT_METRICS]: JSON.stringify(currentMetrics.map((metric) => toV1Metric(metric, 'current'))),
    }),
    ...(behavior !== undefined && { [BEHAVIOR]: JSON.stringify(behaviorText(behavior)) }),
    ...(conditions.length > 0 && { [CONDITIONS]: JSON.stringify(conditions) }),
  };
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    ...withAnnotations(object, annotations),
    spec: { ...rest, ...(utilization !== undefined && { targetCPUUtilizationPercentage: utilization }) },
    status: statusToV1(status, currentMetrics),
  };
}

/** The behavior as Go prints the internal type. */
function behaviorText(behavior: unknown): object {
  const direction = (name: string): object | null => {
    const rules = valueAt(behavior, name);
    if (rules === undefined) return null;
    const policies = listAt(rules, 'policies').map((policy) => ({
      Type: valueAt(policy, 'type') ?? '',
      Value: valueAt(policy, 'value') ?? 0,
      PeriodSeconds: valueAt(policy, 'periodSeconds') ?? 0,
    }));
    return {
      StabilizationWindowSeconds: valueAt(rules, 'stabilizationWindowSeconds') ?? null,
      SelectPolicy: valueAt(rules, 'selectPolicy') ?? null,
      Policies: policies.length > 0 ? policies : null,
      Tolerance: valueAt(rules, 'tolerance') ?? null,
    };
  };
  return { ScaleUp: direction('scaleUp'), ScaleDown: direction('scaleDown') };
}

function statusToV1(status: unknown, currentMetrics: readonly unknown[]): object {
  const { currentMetrics: _metrics, conditions: _conditions, ...rest } = (status ?? {}) as JsonObject;
  const utilization = valueAt(currentMetrics.find(isCpu), 'resource.current.averageUtilization');
  return {
    currentReplicas: 0,
    desiredReplicas: 0,
    ...rest,
    ...(utilization !== undefined && { currentCPUUtilizationPercentage: utilization }),
  };
}

function fromV1({ spec, status, ...object }: ApiObject): ApiObject {
  const { targetCPUUtilizationPercentage: target, ...rest } = (spec ?? {}) as JsonObject;
  const { currentCPUUtilizationPercentage: current, ...restStatus } = (status ?? {}) as JsonObject;
  const {
    [METRICS]: others,
    [CURRENT_METRICS]: currents,
    [CONDITIONS]: conditions,
    [BEHAVIOR]: behavior,
    ...annotations
  } = annotationsOf(object);
  const metrics = [
    ...listIn(others).map((metric) => fromV1Metric(metric, 'target')),
    ...(target === undefined ? [] : [cpuMetric('target', target)]),
  ];
  const currentMetrics =
    currents === undefined
      ? current === undefined
        ? []
        : [cpuMetric('current', current)]
      : listIn(currents).map((metric) => fromV1Metric(metric, 'current'));
  const rules = behavior === undefined ? undefined : behaviorIn(behavior);
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    ...withAnnotations(object, annotations),
    spec: { ...rest, ...(metrics.length > 0 && { metrics }), ...(rules !== undefined && { behavior: rules }) },
    ...(status !== undefined && {
      status: {
        ...restStatus,
        ...(conditions !== undefined && { conditions: listIn(conditions) }),
        ...(currentMetrics.length > 0 && { currentMetrics }),
      },
    }),
  };
}

/** Server-side apply also converts parts of objects, which may have no metadata. */
function annotationsOf(object: { readonly metadata?: ApiObject['metadata'] }): Readonly<Record<string, string>> {
  return object.metadata?.annotations ?? {};
}

function withAnnotations(
  object: { readonly metadata?: ApiObject['metadata'] },
  annotations: Readonly<Record<string, string>>,
): { readonly metadata?: ApiObject['metadata'] } {
  const { annotations: _, ...metadata } = (object.metadata ?? {}) as ApiObject['metadata'];
  const own = Object.keys(annotations).length > 0 ? { annotations } : {};
  return object.metadata === undefined && !('annotations' in own) ? {} : { metadata: { ...metadata, ...own } };
}

const BEHAVIOR_KIND = {
  ...{ kind: 'HorizontalPodAutoscalerBehavior', version: 'v2' },
  schema: builtInSchema('HorizontalPodAutoscalerBehavior'),
};

/** Returns the behavior in an annotation; `undefined` if it is not one. */
function behaviorIn(text: string): object | undefined {
  const value = renamed(parse(text), lowerFirst);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  try {
    return goDecode(BEHAVIOR_KIND, value);
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** Returns the list in an annotation; empty if it is not one. */
function listIn(text: string | undefined): readonly unknown[] {
  const value = text === undefined ? undefined : parse(text);
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Renames the fields of a value and of everything in it: the annotation has the names of the internal type. */
function renamed(value: unknown, rename: (field: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  const present = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(present.map(([field, child]) => [rename(field), renamed(child, rename)]));
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
