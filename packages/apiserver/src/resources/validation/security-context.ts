import type { FieldError } from '../../status.ts';
import { duplicateField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { localPathErrors } from './file-path.ts';
import { at, between, supported } from './rules.ts';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const SYSCTL = String.raw`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;
const LONGEST_SYSCTL = 253;

/** Validates the security context of a Pod (upstream: `validatePodSpecSecurityContext`). */
export function podSecurityErrors(field: string, context: unknown): FieldError[] {
  const place = (name: string): readonly [string, unknown] => at(context, field, name);
  return [
    ...['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((name) => between(place(name), 0)),
    ...listAt(context, 'supplementalGroups').flatMap((group, index) =>
      between([`${field}.supplementalGroups[${index}]`, group], 0),
    ),
    ...sysctlErrors(`${field}.sysctls`, listAt(context, 'sysctls')),
    ...supported(place('fsGroupChangePolicy'), ['Always', 'OnRootMismatch']),
    ...seccompErrors(...place('seccompProfile')),
    ...appArmorErrors(...place('appArmorProfile')),
    ...supported(place('supplementalGroupsPolicy'), ['Merge', 'Strict']),
  ];
}

function sysctlErrors(field: string, sysctls: readonly unknown[]): FieldError[] {
  const names = sysctls.map((sysctl) => scalarText(valueAt(sysctl, 'name')));
  return names.flatMap((name, index) => {
    const place = `${field}[${index}].name`;
    if (name === '') return [requiredField(place, '')];
    if (name.length > LONGEST_SYSCTL || !new RegExp(SYSCTL).test(name)) {
      return [invalidField(place, name, `must have at most ${LONGEST_SYSCTL} characters and match regex ${SYSCTL}`)];
    }
    return names.indexOf(name) < index ? [duplicateField(place, name)] : [];
  });
}

/** Validates a seccomp profile (upstream: `validateSeccompProfileField`). */
export function seccompErrors(field: string, profile: unknown): FieldError[] {
  if (profile === undefined) return [];
  const type = scalarText(valueAt(profile, 'type'));
  const local = at(profile, field, 'localhostProfile');
  const errors = typeErrors(`${field}.type`, type, 'seccompProfile');
  if (type === 'Localhost') {
    return local[1] === undefined
      ? [...errors, requiredField(local[0], 'must be set when seccomp type is Localhost')]
      : [...errors, ...localPathErrors(local, { isReservedAllowed: true })];
  }
  if (local[1] === undefined) return errors;
  const internal = { Type: type, LocalhostProfile: local[1] };
  return [...errors, invalidField(local[0], internal, 'can only be set when seccomp type is Localhost')];
}

/** Validates an AppArmor profile (upstream: `ValidateAppArmorProfileField`). */
export function appArmorErrors(field: string, profile: unknown): FieldError[] {
  if (profile === undefined) return [];
  const type = scalarText(valueAt(profile, 'type'));
  const [place, local] = at(profile, field, 'localhostProfile');
  if (!TYPES.includes(type)) return typeErrors(`${field}.type`, type, 'appArmorProfile');
  if (type !== 'Localhost') {
    return local === undefined ? [] : [invalidField(place, local, 'can only be set when AppArmor type is Localhost')];
  }
  const name = scalarText(local);
  if (name !== name.trim()) return [invalidField(place, name, 'must not be padded with whitespace')];
  return name === '' ? [requiredField(place, 'must be set when AppArmor type is Localhost')] : [];
}

function typeErrors(field: string, type: string, profile: string): FieldError[] {
  if (type === '') return [requiredField(field, `type is required when ${profile} is set`)];
  return TYPES.includes(type) ? [] : [unsupportedField(field, type, TYPES)];
}
