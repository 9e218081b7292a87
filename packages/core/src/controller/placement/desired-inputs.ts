import type { DeepReadonly, KubernetesObject } from '@mcr/client';
import { digestOf } from './placed-intent.ts';
import type { PlacementCluster } from './placement-options.ts';
import { PLACED } from './placement-status.ts';

/**
 * Returns a digest of what the desired objects may depend on: the owner and the labels of the cluster. It leaves out what the
 * placement itself writes to the status.
 */
export function inputsOf(owner: DeepReadonly<KubernetesObject>, { labels }: PlacementCluster): string {
  const { metadata, status, ...fields } = owner as DeepReadonly<KubernetesObject> & { readonly status?: unknown };
  const { resourceVersion: _version, managedFields: _fields, ...described } = metadata;
  return digestOf([fields, described, isMap(status) ? withoutPlacement(status) : status, labels]);
}

function withoutPlacement({ clusters: _clusters, conditions, ...fields }: Readonly<Record<string, unknown>>): object {
  const others = Array.isArray(conditions)
    ? conditions.filter((condition: unknown) => !isMap(condition) || condition['type'] !== PLACED)
    : conditions;
  return { ...fields, conditions: others };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
