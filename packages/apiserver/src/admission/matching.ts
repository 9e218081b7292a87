import type * as z from 'zod';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { selects } from '../resources/validation/selector.ts';
import { notFound } from '../status.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import type { Attributes } from './attributes.ts';
import type { labelSelector, OperationRule } from './hook.ts';

/** The objects and kinds of a cluster. */
export interface AdmissionCluster {
  readonly store: ClusterStore;
  readonly registry: ResourceRegistry;
}

type LabelSelector = z.infer<typeof labelSelector> | null | undefined;

/** Requests that a webhook or a policy selects. */
export interface Matcher {
  readonly rules: readonly OperationRule[];
  readonly matchPolicy: 'Exact' | 'Equivalent';
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
}

/**
 * Returns the type, with its version, that a webhook or a policy gets. `undefined`: it does not select the request.
 *
 * @throws {StatusError} 404 if the namespace that is needed for the decision does not exist.
 */
export function matchedType(
  cluster: AdmissionCluster,
  { rules, matchPolicy, namespaceSelector, objectSelector }: Matcher,
  attributes: Attributes,
): ResourceType | undefined {
  if (!selectsObject(objectSelector, attributes)) return undefined;
  const { type } = attributes;
  const found = rules.some((rule) => ruleMatches(rule, attributes, type))
    ? type
    : matchPolicy === 'Equivalent'
      ? equivalentType(cluster, rules, attributes)
      : undefined;
  return found && selectsNamespace(cluster, namespaceSelector, attributes) ? found : undefined;
}

/** Earlier rules are tried first. */
function equivalentType(
  { registry }: AdmissionCluster,
  rules: readonly OperationRule[],
  attributes: Attributes,
): ResourceType | undefined {
  const { type } = attributes;
  const others = registry.all().filter((other) => other.storage === type.storage && other !== type);
  for (const rule of rules) {
    const equivalent = others.find((other) => ruleMatches(rule, attributes, other));
    if (equivalent) return equivalent;
  }
  return undefined;
}

const includes = (items: readonly string[], wanted: string): boolean => items.includes('*') || items.includes(wanted);

/** Reports whether a rule selects the operation on a resource. */
export function ruleMatches(
  { operations, apiGroups, apiVersions, resources, scope }: OperationRule,
  { operation, subresource, namespace }: Attributes,
  { group, version, plural, storage }: ResourceType,
): boolean {
  if (!includes(operations, operation) || !includes(apiGroups, group) || !includes(apiVersions, version)) return false;
  const isNamespaced = storage !== 'namespaces' && namespace !== '';
  if ((scope === 'Namespaced' && !isNamespaced) || (scope === 'Cluster' && isNamespaced)) return false;
  return resources.some((text) => {
    const slash = text.indexOf('/');
    const [resource, sub] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
    return (resource === '*' || resource === plural) && (sub === '*' || sub === subresource);
  });
}

export function isEverything(selector: LabelSelector): boolean {
  const { matchLabels, matchExpressions } = selector ?? {};
  return Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;
}

function selectsObject(selector: LabelSelector, { object, oldObject }: Attributes): boolean {
  if (isEverything(selector)) return true;
  // The options of a connection have no metadata.
  return [object, oldObject].some((each) => each && 'metadata' in each && selects(selector, each.metadata.labels));
}

function selectsNamespace(cluster: AdmissionCluster, selector: LabelSelector, attributes: Attributes): boolean {
  const { namespace, type } = attributes;
  if ((namespace === '' && type.storage !== 'namespaces') || isEverything(selector)) return true;
  return selects(selector, namespaceOf(cluster, attributes).metadata.labels);
}

/** Returns the namespace of a request: the written one, if the request writes a namespace. @throws {StatusError} 404 */
function namespaceOf(cluster: AdmissionCluster, attributes: Attributes): ApiObject {
  const { type, subresource, operation, object, namespace } = attributes;
  if (type.storage === 'namespaces' && subresource === '' && operation !== 'DELETE' && object) return object;
  const found = findNamespace(cluster, namespace);
  if (found) return found;
  throw notFound({ group: '', plural: 'namespaces' }, namespace);
}

export function findNamespace({ store }: AdmissionCluster, name: string): ApiObject | undefined {
  const stored = store.resource('namespaces').get(name);
  return stored && parseStored(stored);
}
