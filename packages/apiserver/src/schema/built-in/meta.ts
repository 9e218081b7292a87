import type { TypeTable } from './notation.ts';

/** The types of metadata and references, in the notation of {@link TypeTable}. */
export const metaTypes: TypeTable = {
  ObjectMeta: `
    annotations string{}, creationTimestamp time, deletionGracePeriodSeconds int, deletionTimestamp time,
    finalizers string[*], generateName string, generation int, labels string{}, managedFields ManagedFieldsEntry[],
    name string, namespace string, ownerReferences OwnerReference[uid], resourceVersion string, selfLink string,
    uid string`,
  'LabelSelector!': 'matchExpressions LabelSelectorRequirement[], matchLabels string{}',
  Condition: `
    lastTransitionTime time, message string, observedGeneration int, reason string, status string, type string`,
  'LocalObjectReference!': 'name string',
  'ObjectReference!': `
    apiVersion string, fieldPath string, kind string, name string, namespace string, resourceVersion string,
    uid string`,
  'TypedLocalObjectReference!': 'apiGroup string, kind string, name string',
  TypedObjectReference: 'apiGroup string, kind string, name string, namespace string',
  ManagedFieldsEntry: `
    apiVersion string, fieldsType string, fieldsV1 any, manager string, operation string, subresource string,
    time string`,
  'OwnerReference!': `
    apiVersion string, blockOwnerDeletion bool, controller bool, kind string, name string, uid string`,
  DeleteOptions: `
    dryRun string[], gracePeriodSeconds int, ignoreStoreReadErrorWithClusterBreakingPotential bool,
    orphanDependents bool, preconditions Preconditions, propagationPolicy string`,
  TokenRequest: 'spec TokenRequestSpec',
  TokenRequestSpec: 'audiences string[], boundObjectRef BoundObjectReference, expirationSeconds int',
  BoundObjectReference: 'apiVersion string, kind string, name string, uid string',
  Scale: 'spec ScaleSpec, status ScaleStatus',
  ScaleSpec: 'replicas int',
  ScaleStatus: 'replicas int, selector string',
  Preconditions: 'resourceVersion string, uid string',
  LabelSelectorRequirement: 'key string, operator string, values string[]',
};
