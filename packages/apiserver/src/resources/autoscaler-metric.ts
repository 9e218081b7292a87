import type { JsonObject } from '../storage/stored-object.ts';
import { scalarText, valueAt } from './resource-type.ts';

/** Values of a metric: wanted ones in the spec, current ones in the status. */
type Part = 'target' | 'current';

/** A path in `autoscaling/v2` and the field of `autoscaling/v1` that has its value. */
type Mapping = readonly (readonly [path: readonly [string, ...string[]], field: string])[];

const METRIC: Mapping = [
  [['metric', 'name'], 'metricName'],
  [['metric', 'selector'], 'selector'],
];

/** Fields of each source, below the field that is named after its type. */
const SOURCES: Readonly<Record<string, (part: Part) => Mapping>> = {
  Resource: (part) => [[['name'], 'name'], ...averages(part)],
  ContainerResource: (part) => [[['name'], 'name'], [['container'], 'container'], ...averages(part)],
  Pods: (part) => [...METRIC, [[part, 'averageValue'], `${part}AverageValue`]],
  Object: (part) => [
    [['describedObject'], 'target'],
    ...METRIC,
    [[part, 'value'], `${part}Value`],
    [[part, 'averageValue'], 'averageValue'],
  ],
  External: (part) => [
    [['metric', 'name'], 'metricName'],
    [['metric', 'selector'], 'metricSelector'],
    [[part, 'value'], `${part}Value`],
    [[part, 'averageValue'], `${part}AverageValue`],
  ],
};

function averages(part: Part): Mapping {
  return [
    [[part, 'averageUtilization'], `${part}AverageUtilization`],
    [[part, 'averageValue'], `${part}AverageValue`],
  ];
}

/** Converts a metric of a spec or status to `autoscaling/v1`, which only appears in annotations. */
export function toV1Metric(metric: unknown, part: Part): JsonObject {
  const { type, source, mapping } = describe(metric, part);
  const from = valueAt(metric, source);
  if (from === undefined) return { type };
  const entries = mapping.map(([path, field]) => [field, valueAt(from, path.join('.'))] as const);
  return { type, [source]: Object.fromEntries(entries.filter(([, value]) => value !== undefined)) };
}

/** Converts a metric from `autoscaling/v1`. */
export function fromV1Metric(metric: unknown, part: Part): JsonObject {
  const { type, source, mapping } = describe(metric, part);
  const from = valueAt(metric, source);
  if (from === undefined) return { type };
  const into: Record<string, unknown> = {};
  const inner: Record<string, Record<string, unknown>> = {};
  for (const [[outer, field], name] of mapping) {
    const value = valueAt(from, name);
    if (value === undefined) continue;
    if (field === undefined) into[outer] = value;
    else inner[outer] = { ...inner[outer], [field]: value };
  }
  if (part === 'target') inner['target'] = { type: targetType(inner['target'] ?? {}), ...inner['target'] };
  return { type, [source]: { ...into, ...inner } };
}

function targetType(target: Readonly<Record<string, unknown>>): string {
  if (target['averageUtilization'] !== undefined) return 'Utilization';
  return target['averageValue'] === undefined ? 'Value' : 'AverageValue';
}

function describe(metric: unknown, part: Part): { type: string; source: string; mapping: Mapping } {
  const type = scalarText(valueAt(metric, 'type'));
  const source = type.charAt(0).toLowerCase() + type.slice(1);
  const mapping = Object.hasOwn(SOURCES, type) ? SOURCES[type]?.(part) : undefined;
  return { type, source, mapping: mapping ?? [] };
}
