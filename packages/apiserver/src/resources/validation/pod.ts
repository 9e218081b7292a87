import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField } from '../../status.ts';
import type { JsonObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { podAnnotationErrors, podAnnotationUpdateErrors } from './pod-annotations.ts';
import { ephemeralUpdateErrors } from './ephemeral-container.ts';
import { resizeErrors } from './pod-resize.ts';
import { podSpecErrors } from './pod-spec.ts';
import { isEmpty } from './rules.ts';
import { seccompMatchErrors } from './seccomp-match.ts';

const CHANGEABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** Validates a Pod (upstream: `ValidatePodCreate` and `ValidatePodUpdate`). */
export function podErrors({ object, previous, subresource }: Change): FieldError[] {
  const annotations = object.metadata.annotations ?? {};
  const errors = [
    ...podAnnotationErrors('metadata.annotations', annotations, object['spec']),
    ...podSpecErrors('spec', object['spec'], object.metadata.name),
    ...ownErrors(object['spec']),
    ...seccompMatchErrors('spec', annotations, object['spec']),
  ];
  if (previous && subresource === 'resize') return resizeErrors(errors, object, previous);
  if (previous) {
    const annotationErrors = podAnnotationUpdateErrors(
      'metadata.annotations',
      annotations,
      previous.metadata.annotations ?? {},
    );
    if (subresource === 'ephemeralcontainers') {
      return ephemeralUpdateErrors([...errors, ...annotationErrors], object, previous);
    }
    return [
      ...errors,
      ...annotationErrors,
      ...updateErrors(object['spec'] as JsonObject, previous['spec'] as JsonObject),
    ];
  }
  if (listAt(object, 'spec.ephemeralContainers').length > 0) {
    errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if (!isEmpty(valueAt(object, 'spec.nodeName')) && listAt(object, 'spec.schedulingGates').length > 0) {
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return errors;
}

/** Rules of Pods that templates do not have. */
function ownErrors(spec: unknown): FieldError[] {
  const hasAccount = !isEmpty(valueAt(spec, 'serviceAccountName'));
  const tokens = hasAccount
    ? []
    : listAt(spec, 'volumes').flatMap((volume, index) =>
        [...listAt(volume, 'projected.sources').entries()]
          .filter(([, source]) => valueAt(source, 'serviceAccountToken') !== undefined)
          .map(([at]) => `spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`),
      );
  const detail = 'must not be specified when serviceAccountName is not set';
  return [
    ...tokens.map((field) => forbiddenField(field, detail)),
    ...['containers', 'initContainers'].flatMap((list) =>
      listAt(spec, list).flatMap((container, index) => {
        const image = scalarText(valueAt(container, 'image'));
        const padded = 'must not have leading or trailing whitespace';
        return image === image.trim() ? [] : [invalidField(`spec.${list}[${index}].image`, image, padded)];
      }),
    ),
  ];
}

function updateErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  for (const field of ['containers', 'initContainers']) {
    if (listAt(spec, field).length !== listAt(before, field).length) {
      return [forbiddenField(`spec.${field}`, 'pod updates may not add or remove containers')];
    }
  }
  const errors: FieldError[] = [];
  const deadline = deadlineErrors(spec['activeDeadlineSeconds'], before['activeDeadlineSeconds']);
  if (deadline.length > 0) return deadline;
  const tolerations = listAt(spec, 'tolerations').map(withoutSeconds);
  const isKept = (toleration: unknown): boolean =>
    tolerations.some((each) => isDeepStrictEqual(each, withoutSeconds(toleration)));
  if (!listAt(before, 'tolerations').every(isKept)) {
    errors.push(
      forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
    );
  }
  const gates = listAt(before, 'schedulingGates').map((gate) => valueAt(gate, 'name'));
  for (const [index, gate] of listAt(spec, 'schedulingGates').entries()) {
    const name = valueAt(gate, 'name');
    if (gates.includes(name)) continue;
    const detail = 'only deletion is allowed, but found new scheduling gate';
    errors.push(forbiddenField(`spec.schedulingGates[${index}].name`, `${detail} '${String(name)}'`));
  }
  if (!isDeepStrictEqual(fixedPart(spec, before), fixedPart(before, before))) {
    errors.push(forbiddenField('spec', `pod updates may not change fields other than ${CHANGEABLE}`));
  }
  return errors;
}

function withoutSeconds(toleration: unknown): object {
  const { tolerationSeconds: _, ...rest } = toleration as JsonObject;
  return rest;
}

const LONGEST_DEADLINE = 2_147_483_647;

function deadlineErrors(wanted: unknown, before: unknown): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const isInRange = wanted === undefined || (Number(wanted) >= 0 && Number(wanted) <= LONGEST_DEADLINE);
  if (!isInRange) return [invalidField(field, wanted, `must be between 0 and ${LONGEST_DEADLINE}, inclusive`)];
  if (typeof before !== 'number') return [];
  if (wanted === undefined) return [invalidField(field, null, 'must not update from a positive integer to nil value')];
  if (Number(wanted) <= before) return [];
  return [invalidField(field, wanted, 'must be less than or equal to previous value')];
}

/** Returns the part of a spec that does not change. A Pod with scheduling gates may get another node selector. */
function fixedPart(spec: JsonObject, before: JsonObject): JsonObject {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, schedulingGates: _gates, ...rest } = spec;
  const withoutImages = (field: string): object =>
    listAt(spec, field).length === 0
      ? {}
      : { [field]: listAt(spec, field).map((container) => ({ ...(container as object), image: undefined })) };
  const grace = Number(before['terminationGracePeriodSeconds']) < 0 && spec['terminationGracePeriodSeconds'] === 1;
  const isGated = listAt(before, 'schedulingGates').length > 0;
  return {
    ...rest,
    ...withoutImages('containers'),
    ...withoutImages('initContainers'),
    ...(grace && { terminationGracePeriodSeconds: before['terminationGracePeriodSeconds'] }),
    ...(isGated && { nodeSelector: before['nodeSelector'], affinity: before['affinity'] }),
  };
}
