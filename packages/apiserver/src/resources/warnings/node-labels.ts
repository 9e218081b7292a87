import { listAt } from '../cells.ts';
import { labelValueErrors } from '../names.ts';
import { scalarText, valueAt } from '../resource-type.ts';

/** Labels of nodes that others replaced (upstream: `pkg/api/node/util.go`). */
const DEPRECATED: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

/** Returns why a label should not be used; empty if it can be. */
export function nodeLabelWarnings(label: string): string[] {
  const text = Object.hasOwn(DEPRECATED, label) ? DEPRECATED[label] : undefined;
  return text === undefined ? [] : [text];
}

/**
 * Returns the warnings about a term that selects nodes.
 *
 * @param isPreference whether the values of labels may be invalid, and then match nothing.
 */
export function nodeTermWarnings(field: string, term: unknown, isPreference: boolean): string[] {
  return listAt(term, 'matchExpressions').flatMap((expression, index) => {
    const place = `${field}.matchExpressions[${index}]`;
    const key = scalarText(valueAt(expression, 'key'));
    const values = isPreference ? listAt(expression, 'values').map(scalarText) : [];
    return [
      ...nodeLabelWarnings(key).map((text) => `${place}.key: ${key} is ${text}`),
      ...values.flatMap((value, at) =>
        labelValueErrors(value).map((detail) => `${place}.values[${at}]: ${value} is invalid, ${detail}`),
      ),
    ];
  });
}
