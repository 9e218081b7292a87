import type { FieldError } from '../../status.ts';
import { forbiddenField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { SECCOMP_CONTAINER, SECCOMP_POD } from './pod-annotations.ts';

const LOCAL = 'localhost/';

const ANNOTATIONS: Readonly<Record<string, readonly string[]>> = {
  Unconfined: ['unconfined'],
  RuntimeDefault: ['runtime/default', 'docker/default'],
};

/**
 * The seccomp profiles in annotations are those of the fields, where both are set.
 * (Upstream: `validateSeccompAnnotationsAndFields`.)
 */
export function seccompMatchErrors(
  path: string,
  annotations: Readonly<Record<string, string>>,
  spec: unknown,
): FieldError[] {
  const errors = profileErrors(path, annotations[SECCOMP_POD], spec);
  const inContainers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    listAt(spec, list).flatMap((container, index) => {
      const name = `${SECCOMP_CONTAINER}${scalarText(valueAt(container, 'name'))}`;
      return profileErrors(`${path}.${list}[${index}]`, annotations[name], container);
    }),
  );
  return [...errors, ...inContainers];
}

/** @param holder Pod spec or container with a security context. */
function profileErrors(path: string, annotation: string | undefined, holder: unknown): FieldError[] {
  const profile = valueAt(holder, 'securityContext.seccompProfile');
  if (annotation === undefined || profile === undefined) return [];
  const field = `${path}.securityContext.seccompProfile`;
  const type = scalarText(valueAt(profile, 'type'));
  const otherType = forbiddenField(`${field}.type`, 'seccomp type in annotation and field must match');
  if (type !== 'Localhost') {
    const allowed = ANNOTATIONS[type];
    return allowed === undefined || allowed.includes(annotation) ? [] : [otherType];
  }
  if (!annotation.startsWith(LOCAL)) return [otherType];
  if (annotation.slice(LOCAL.length) === valueAt(profile, 'localhostProfile')) return [];
  return [forbiddenField(`${field}.localhostProfile`, 'seccomp profile in annotation and field must match')];
}
