import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import type { ApiObject, JsonObject } from '../../storage/stored-object.ts';
import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';
import { listAt } from '../cells.ts';
import { annotationFieldErrors } from '../names.ts';
import { emptyCollection } from '../../schema/empty-collections.ts';
import { claimSpecErrors } from './claim.ts';
import { podAnnotationErrors } from './pod-annotations.ts';
import { podSpecErrors } from './pod-spec.ts';
import { at, dnsLabel, IMMUTABLE, labels, nonNegative, supported } from './rules.ts';
import { orderedSelector, selectorErrors, selects, sortedKeys } from './selector.ts';
import { daemonSetStrategyErrors, deploymentStrategyErrors, statefulSetStrategyErrors } from './update-strategy.ts';

const place = (object: unknown, field: string): readonly [string, unknown] => [
  `spec.${field}`,
  valueAt(object, `spec.${field}`),
];

/** Validates a template, and that its labels match the selector. @param always whether Pods must restart. */
export function templateErrors(object: unknown, selector: unknown, always: boolean): FieldError[] {
  const template = valueAt(object, 'spec.template');
  const of = valueAt(template, 'metadata.labels');
  const mismatch = invalidField(
    'spec.template.metadata.labels',
    sortedKeys(of ?? emptyCollection(valueAt(template, 'metadata'), 'labels') ?? null),
    '`selector` does not match template `labels`',
  );
  return [
    ...(selects(selector, of) ? [] : [mismatch]),
    ...templateSpecErrors('spec.template', template),
    // Upstream checks the metadata of this kind twice.
    ...((object as ApiObject).kind === 'StatefulSet' ? templateMetadataErrors('spec.template', template) : []),
    ...(always ? restartErrors(object) : []),
  ];
}

/** Pods of a workload restart always. */
function restartErrors(object: unknown): FieldError[] {
  const restart = valueAt(object, 'spec.template.spec.restartPolicy');
  return restart === 'Always' ? [] : [unsupportedField('spec.template.spec.restartPolicy', restart, ['Always'])];
}

/** Validates a template of Pods (upstream: `ValidatePodTemplateSpec`). */
export function templateSpecErrors(path: string, template: unknown): FieldError[] {
  return [
    ...templateMetadataErrors(path, template),
    ...podSpecErrors(`${path}.spec`, valueAt(template, 'spec')),
    ...(listAt(template, 'spec.ephemeralContainers').length > 0
      ? [forbiddenField(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]
      : []),
  ];
}

function templateMetadataErrors(path: string, template: unknown): FieldError[] {
  const annotations = (valueAt(template, 'metadata.annotations') ?? {}) as Record<string, string>;
  return [
    ...labels([`${path}.labels`, valueAt(template, 'metadata.labels')]),
    ...annotationFieldErrors(annotations).map((error) => ({ ...error, field: `${path}.annotations` })),
    ...podAnnotationErrors(`${path}.annotations`, annotations, valueAt(template, 'spec')),
  ];
}

/** Validates a PodTemplate. */
export function podTemplateErrors({ object }: Change): FieldError[] {
  return templateSpecErrors('template', object['template']);
}

/** Kinds as the error of an empty selector names them. Upstream names the others as Deployments. */
const SELECTING: Readonly<Record<string, string>> = { DaemonSet: 'daemonset', StatefulSet: 'statefulset' };

/** Errors of a selector, which must be there and must not be empty. */
function ownSelectorErrors(object: ApiObject): { errors: FieldError[]; isValid: boolean } {
  const [field, selector] = place(object, 'selector');
  // A DaemonSet without a selector has only labels that it does not match.
  if (selector === undefined) {
    return { errors: object.kind === 'DaemonSet' ? [] : [requiredField(field, '')], isValid: true };
  }
  const errors = selectorErrors([field, selector]);
  if (errors.length > 0) {
    const invalid = object.kind === 'DaemonSet' ? [] : [invalidSelector(object.kind, field, selector)];
    return { errors: [...errors, ...invalid], isValid: false };
  }
  const isEmpty = Object.keys(selector as object).length === 0;
  const detail = `empty selector is invalid for ${SELECTING[object.kind] ?? 'deployment'}`;
  return { errors: isEmpty ? [invalidField(field, selector, detail)] : [], isValid: true };
}

/** Upstream says nothing about the selector of a StatefulSet. */
function invalidSelector(kind: string, field: string, selector: unknown): FieldError {
  const error = invalidField(field, orderedSelector(selector), 'invalid label selector');
  if (kind !== 'StatefulSet') return error;
  return { ...error, message: error.message.replace(/: invalid label selector$/u, '') };
}

function immutableSelector({ object, previous }: Change): FieldError[] {
  const [field, selector] = place(object, 'selector');
  if (!previous || isDeepStrictEqual(selector, place(previous, 'selector')[1])) return [];
  return [invalidField(field, orderedSelector(selector), IMMUTABLE)];
}

/** A selector that matches all labels. */
const EVERY = {};

/** Errors of a kind with a selector and a template of Pods that restart. */
function commonErrors(object: ApiObject): FieldError[] {
  const { errors, isValid } = ownSelectorErrors(object);
  const selector = valueAt(object, 'spec.selector');
  const deadline = valueAt(object, 'spec.template.spec.activeDeadlineSeconds');
  const late = deadline === undefined ? [] : [deadlineError(object.kind)];
  if (isValid || object.kind === 'DaemonSet') {
    return [...errors, ...templateErrors(object, isValid ? selector : EVERY, true), ...late];
  }
  // Only a StatefulSet with an invalid selector has errors of its template.
  return object.kind === 'StatefulSet' ? [...errors, ...restartErrors(object), ...late] : errors;
}

function deadlineError(kind: string): FieldError {
  // Upstream names a Deployment as the ReplicaSet that it creates.
  const owner = kind === 'Deployment' ? 'ReplicaSet' : kind;
  const detail = `activeDeadlineSeconds in ${owner} is not Supported`;
  return forbiddenField('spec.template.spec.activeDeadlineSeconds', detail);
}

const counts = (object: unknown, ...fields: readonly string[]): FieldError[] =>
  fields.flatMap((field) => nonNegative(place(object, field)));

/** Validates a Deployment (upstream: `ValidateDeployment`). */
export function deploymentErrors(change: Change): FieldError[] {
  const { object } = change;
  const [field, deadline] = place(object, 'progressDeadlineSeconds');
  const ready = Number(valueAt(object, 'spec.minReadySeconds') ?? 0);
  const isShort = typeof deadline === 'number' && deadline <= ready;
  return [
    ...counts(object, 'replicas'),
    ...commonErrors(object),
    ...deploymentStrategyErrors(place(object, 'strategy')),
    ...counts(object, 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'),
    ...(isShort ? [invalidField(field, deadline, 'must be greater than minReadySeconds')] : []),
    ...immutableSelector(change),
  ];
}

/** Validates a ReplicaSet. */
export function replicaSetErrors(change: Change): FieldError[] {
  const { object } = change;
  return [...counts(object, 'replicas', 'minReadySeconds'), ...commonErrors(object), ...immutableSelector(change)];
}

/** Validates a ReplicationController, which selects by a map of labels. */
export function replicationControllerErrors({ object }: Change): FieldError[] {
  const matchLabels = valueAt(object, 'spec.selector');
  const missing = Object.keys(matchLabels ?? {}).length === 0 ? [requiredField('spec.selector', '')] : [];
  const template = valueAt(object, 'spec.template');
  const own = counts(object, 'minReadySeconds');
  const rest =
    template === undefined ? [requiredField('spec.template', '')] : templateErrors(object, { matchLabels }, true);
  return [...own, ...missing, ...counts(object, 'replicas'), ...rest];
}

/** Fields of a StatefulSet's spec that may change. */
const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

/** Validates a StatefulSet (upstream: `ValidateStatefulSet` and its update). */
export function statefulSetErrors({ object, previous, subresource }: Change): FieldError[] {
  if (subresource === 'status') return [];
  const policy = valueAt(object, 'spec.podManagementPolicy');
  const errors: FieldError[] = [];
  if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    errors.push(invalidField('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  errors.push(
    ...statefulSetStrategyErrors(place(object, 'updateStrategy')),
    ...['whenDeleted', 'whenScaled'].flatMap((field) =>
      supported(at(object['spec'], 'spec', `persistentVolumeClaimRetentionPolicy.${field}`), ['Retain', 'Delete']),
    ),
    // Templates of claims cannot change, so that only those of new objects are checked. The same holds for the name.
    ...(previous ? [] : listAt(object, 'spec.volumeClaimTemplates')).flatMap((claim, index) =>
      claimSpecErrors(`spec.volumeClaimTemplates[${index}].spec`, valueAt(claim, 'spec')),
    ),
    ...counts(object, 'replicas', 'minReadySeconds', 'ordinals.start'),
    ...(previous ? [] : dnsLabel(place(object, 'serviceName'))),
    ...commonErrors(withClaims(object)),
  );
  if (previous && !isDeepStrictEqual(fixed(object['spec']), fixed(previous['spec']))) {
    const listed = CHANGEABLE.slice(0, -1)
      .map((field) => `'${field}'`)
      .join(', ');
    const detail = `updates to statefulset spec for fields other than ${listed} and 'minReadySeconds' are forbidden`;
    errors.push(forbiddenField('spec', detail));
  }
  return errors;
}

/** Returns a StatefulSet whose template has the volumes of its claims, and not the names that Pods get later. */
function withClaims(object: ApiObject): ApiObject {
  const names: unknown[] = listAt(object, 'spec.volumeClaimTemplates').map(
    (claim) => valueAt(claim, 'metadata.name') ?? '',
  );
  const pod = valueAt(object, 'spec.template.spec') as JsonObject | undefined;
  if (!pod) return object;
  const { hostname: _hostname, subdomain: _subdomain, ...rest } = pod;
  const claims = [...new Set(names)].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = listAt(pod, 'volumes').filter((volume) => !names.includes(valueAt(volume, 'name')));
  const volumes = [...claims, ...others];
  const spec = object['spec'] as JsonObject;
  const template = { ...(spec['template'] as object), spec: { ...rest, volumes } };
  return { ...object, spec: { ...spec, template } };
}

function fixed(spec: unknown): object {
  return Object.fromEntries(Object.entries(spec as JsonObject).filter(([field]) => !CHANGEABLE.includes(field)));
}

/** Validates a DaemonSet (upstream: `ValidateDaemonSetSpec` and its update). */
export function daemonSetErrors(change: Change): FieldError[] {
  const { object } = change;
  return [
    ...immutableSelector(change),
    ...commonErrors(object),
    ...counts(object, 'minReadySeconds'),
    ...daemonSetStrategyErrors(place(object, 'updateStrategy')),
    ...counts(object, 'revisionHistoryLimit'),
  ];
}
