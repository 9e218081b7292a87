import type { ApiObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { scalarText, setValueAt, valueAt } from '../resource-type.ts';

const TERMS = ['required', 'preferred'].map((prefix) => `${prefix}DuringSchedulingIgnoredDuringExecution`);

/**
 * Adds the labels of a new Pod that its affinity and its spread constraints name as keys to their selectors. (Upstream:
 * `applyMatchLabelKeysAndMismatchLabelKeys` and `applyMatchLabelKeys`.)
 */
export function mergeLabelKeys(pod: ApiObject): void {
  const labels = pod.metadata.labels ?? {};
  for (const affinity of ['podAffinity', 'podAntiAffinity']) {
    for (const term of TERMS.flatMap((field) => listAt(pod, `spec.affinity.${affinity}.${field}`))) {
      mergeInto(valueAt(term, 'podAffinityTerm') ?? term, labels);
    }
  }
  for (const constraint of listAt(pod, 'spec.topologySpreadConstraints')) mergeInto(constraint, labels);
}

/** A term without a selector matches nothing, and stays so. */
function mergeInto(term: unknown, labels: Readonly<Record<string, string>>): void {
  if (valueAt(term, 'labelSelector') === undefined) return;
  const added = [
    ...expressions(listAt(term, 'matchLabelKeys'), 'In', labels),
    ...expressions(listAt(term, 'mismatchLabelKeys'), 'NotIn', labels),
  ];
  if (added.length === 0) return;
  const path = 'labelSelector.matchExpressions';
  setValueAt(term as Record<string, unknown>, path, [...listAt(term, path), ...added]);
}

function expressions(
  keys: readonly unknown[],
  operator: string,
  labels: Readonly<Record<string, string>>,
): readonly object[] {
  return keys.flatMap((each) => {
    const key = scalarText(each);
    return Object.hasOwn(labels, key) ? [{ key, operator, values: [labels[key]] }] : [];
  });
}
