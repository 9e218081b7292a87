import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, notFoundField } from '../../status.ts';
import type { ApiObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { MIRROR, WHOLE } from './pod-annotations.ts';

/** Fields of containers that ephemeral ones do not have. */
const FORBIDDEN = [
  ...['ports', 'resources', 'resizePolicy', 'restartPolicy', 'restartPolicyRules'],
  ...['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'],
];

const DETAIL = 'cannot be set for an Ephemeral Container';

/**
 * Validates the ephemeral containers of a Pod (upstream: `validateEphemeralContainers`).
 *
 * @param common validates what all containers have.
 */
export function ephemeralErrors(
  path: string,
  spec: unknown,
  common: (field: string, container: unknown) => FieldError[],
): FieldError[] {
  const nameOf = (container: unknown): string => scalarText(valueAt(container, 'name'));
  const others = new Set([...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')].map(nameOf));
  const names = new Set(others);
  return listAt(spec, 'ephemeralContainers').flatMap((container, index) => {
    const field = `${path}.ephemeralContainers[${index}]`;
    const image = scalarText(valueAt(container, 'image'));
    const target = scalarText(valueAt(container, 'targetContainerName'));
    const name = nameOf(container);
    const isDuplicate = names.has(name);
    names.add(name);
    return [
      ...common(field, container),
      ...(image === image.trim()
        ? []
        : [invalidField(`${field}.image`, image, 'must not have leading or trailing whitespace')]),
      ...(isDuplicate ? [duplicateField(`${field}.name`, name)] : []),
      ...(target === '' || others.has(target) ? [] : [notFoundField(`${field}.targetContainerName`, target)]),
      ...FORBIDDEN.filter((each) => isSet(valueAt(container, each))).map((each) =>
        forbiddenField(`${field}.${each}`, DETAIL),
      ),
      ...listAt(container, 'volumeMounts').flatMap((mount, at) =>
        ['subPath', 'subPathExpr']
          .filter((each) => scalarText(valueAt(mount, each)) !== '')
          .map((each) => forbiddenField(`${field}.volumeMounts[${at}].${each}`, DETAIL)),
      ),
    ];
  });
}

/** Reports whether a value is not the zero value: resources without fields are none. */
function isSet(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || Object.values(value).some((child) => isSet(child));
}

/**
 * Ephemeral containers can only be added (upstream: `ValidatePodEphemeralContainersUpdate`).
 *
 * @param errors errors of the new Pod.
 */
export function ephemeralUpdateErrors(
  errors: readonly FieldError[],
  pod: ApiObject,
  previous: ApiObject,
): FieldError[] {
  if (previous.metadata.annotations?.[MIRROR] !== undefined) {
    return [forbiddenField(WHOLE, 'static pods do not support ephemeral containers')];
  }
  const field = 'spec.ephemeralContainers';
  const next = new Map(listAt(pod, field).map((container) => [valueAt(container, 'name'), container]));
  const changed = listAt(previous, field).flatMap((old) => {
    const name = valueAt(old, 'name');
    const which = `existing ephemeral containers ${JSON.stringify(name)}`;
    if (!next.has(name)) return [forbiddenField(field, `${which} may not be removed\n`)];
    return isDeepStrictEqual(next.get(name), old) ? [] : [forbiddenField(field, `${which} may not be changed\n`)];
  });
  return [...errors, ...changed];
}
