import type { FieldError } from '../../status.ts';
import { duplicateField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { localPathErrors } from './file-path.ts';
import { internalValue } from '../internal/internal-value.ts';
import { at, between, supported } from './rules.ts';
import { windowsOptionErrors } from './windows.ts';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const SYSCTL = String.raw`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`;
const LONGEST_SYSCTL = 253;

/** Validates the security context of a Pod (upstream: `validatePodSpecSecurityContext`). */
export function podSecurityErrors(field: string, spec: unknown): FieldError[] {
  const context = valueAt(spec, 'securityContext');
  const place = (name: string): readonly [string, unknown] => at(context, field, name);
  const isShared = valueAt(spec, 'shareProcessNamespace') === true && valueAt(spec, 'hostPID') === true;
  const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
  return [
    ...['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((name) => between(place(name), 0)),
    ...listAt(context, 'supplementalGroups').flatMap((group, index) =>
      between([`${field}.supplementalGroups[${index}]`, group], 0),
    ),
    ...(isShared ? [invalidField(`${field}.shareProcessNamespace`, true, detail)] : []),
    ...sysctlErrors(`${field}.sysctls`, spec),
    ...supported(place('fsGroupChangePolicy'), ['Always', 'OnRootMismatch']),
    ...seccompErrors(...place('seccompProfile')),
    ...windowsOptionErrors(...place('windowsOptions')),
    ...appArmorErrors(...place('appArmorProfile')),
    ...supported(place('supplementalGroupsPolicy'), ['Merge', 'Strict']),
    // MountOption needs a feature gate that is off.
    ...supported(place('seLinuxChangePolicy'), ['Recursive']),
  ];
}

/** Validates the security context of a container (upstream: `ValidateSecurityContext`). */
export function containerSecurityErrors(field: string, context: unknown, hostUsers: boolean): FieldError[] {
  if (context === undefined) return [];
  const process = at(context, field, 'procMount');
  const unmasked = '`hostUsers` must be false to use `Unmasked`';
  return [
    ...['runAsUser', 'runAsGroup'].flatMap((name) => between(at(context, field, name), 0)),
    ...supported(process, ['Default', 'Unmasked']),
    ...(hostUsers && process[1] === 'Unmasked' ? [invalidField(process[0], 'Unmasked', unmasked)] : []),
    ...seccompErrors(...at(context, field, 'seccompProfile')),
    ...escalationErrors(field, context),
    ...windowsOptionErrors(...at(context, field, 'windowsOptions')),
    ...appArmorErrors(...at(context, field, 'appArmorProfile')),
  ];
}

/** A container without more privileges than its parent must not have them. */
function escalationErrors(field: string, context: unknown): FieldError[] {
  if (valueAt(context, 'allowPrivilegeEscalation') !== false) return [];
  const because = (what: string): FieldError => {
    const detail = `cannot set \`allowPrivilegeEscalation\` to false and ${what}`;
    return invalidField(field, internalValue('SecurityContext', context), detail);
  };
  const administrators = listAt(context, 'capabilities.add').filter((name) => name === 'CAP_SYS_ADMIN');
  return [
    ...(valueAt(context, 'privileged') === true ? [because('`privileged` to true')] : []),
    ...administrators.map(() => because('`capabilities.Add` CAP_SYS_ADMIN')),
  ];
}

function sysctlErrors(field: string, spec: unknown): FieldError[] {
  const names = listAt(spec, 'securityContext.sysctls').map((sysctl) => scalarText(valueAt(sysctl, 'name')));
  return names.flatMap((name, index) => {
    const place = `${field}[${index}].name`;
    const shared = SHARED.find(({ prefix, of }) => prefix.test(name) && valueAt(spec, of) === true);
    return [
      ...sysctlNameErrors(place, name, names.indexOf(name) < index),
      ...(shared ? [invalidField(place, name, `may not be specified when '${shared.of}' is true`)] : []),
    ];
  });
}

/** Namespaces of sysctls that a Pod can share with its host. (Upstream: `sysctl.GetNamespace`.) */
const SHARED = [
  { prefix: /^net[./]/u, of: 'hostNetwork' },
  { prefix: /^(?:kernel[./](?:sem$|shm|msg)|fs[./]mqueue[./])/u, of: 'hostIPC' },
] as const;

function sysctlNameErrors(place: string, name: string, isTwice: boolean): FieldError[] {
  if (name === '') return [requiredField(place, '')];
  if (name.length > LONGEST_SYSCTL || !new RegExp(SYSCTL).test(name)) {
    return [invalidField(place, name, `must have at most ${LONGEST_SYSCTL} characters and match regex ${SYSCTL}`)];
  }
  return isTwice ? [duplicateField(place, name)] : [];
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
