import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { subdomainErrors } from '../names.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, textIfSet } from './rules.ts';

/** Rules of Pods that depend on the system that they run on. */

const LONGEST = { credentials: 64 * 1024, domain: 256, user: 104 };

/** Control characters. */
const CONTROL = /\p{Cc}/u;
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`, 'u');
const IN_NO_USER = /["/\\:;|=,+*?<>@[\]]/u;

/** Validates the options of Windows (upstream: `validateWindowsSecurityContextOptions`). */
export function windowsOptionErrors(field: string, options: unknown): FieldError[] {
  if (options === undefined) return [];
  const [place, credentials] = at(options, field, 'gmsaCredentialSpec');
  const errors = textIfSet(at(options, field, 'gmsaCredentialSpecName'), subdomainErrors);
  if (credentials === '') errors.push(invalidField(place, '', 'gmsaCredentialSpec cannot be an empty string'));
  if (typeof credentials === 'string' && Buffer.byteLength(credentials) > LONGEST.credentials) {
    errors.push(invalidField(place, credentials, 'gmsaCredentialSpec size must be under 64 KiB'));
  }
  return [...errors, ...textIfSet(at(options, field, 'runAsUserName'), userNameErrors)];
}

function userNameErrors(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const errors: string[] = [];
  if (domain !== undefined && domain.length >= LONGEST.domain) {
    errors.push(`runAsUserName's Domain length must be under ${LONGEST.domain} characters`);
  }
  if (domain !== undefined && !NET_BIOS.test(domain) && !DOMAIN.test(domain)) {
    errors.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') errors.push("runAsUserName's User cannot be empty");
  if (user.length > LONGEST.user) {
    errors.push(`runAsUserName's User length must not be longer than ${LONGEST.user} characters`);
  }
  if (/^[. ]+$/u.test(user)) errors.push("runAsUserName's User cannot contain only periods or spaces");
  if (IN_NO_USER.test(user)) {
    errors.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return errors;
}

/** Visits all containers, in the order of upstream. */
function* containersOf(path: string, spec: unknown): Generator<readonly [field: string, container: unknown]> {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const [index, container] of listAt(spec, list).entries()) yield [`${path}.${list}[${index}]`, container];
  }
}

/** Containers that are processes of the host are alone in their Pod (upstream: `validateWindowsHostProcessPod`). */
export function hostProcessErrors(path: string, spec: unknown): FieldError[] {
  const option = 'securityContext.windowsOptions.hostProcess';
  const ofPod = valueAt(spec, option);
  const errors: FieldError[] = [];
  const containers = [...containersOf(path, spec)];
  let count = 0;
  for (const [field, container] of containers) {
    const own = valueAt(container, option);
    if (ofPod !== undefined && own !== undefined && own !== ofPod) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${scalarText(ofPod)}`;
      errors.push(invalidField(`${field}.${option}`, own, detail));
    }
    if ((own ?? ofPod) === true) count += 1;
  }
  if (count === 0) return errors;
  if (count !== containers.length) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalidField(path, '', detail));
  }
  if (valueAt(spec, 'hostNetwork') !== true) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalidField(`${path}.hostNetwork`, false, detail));
  }
  return errors;
}

/** Rules of Pods with a user namespace of their own (upstream: `validateHostUsers`). */
export function hostUserErrors(path: string, spec: unknown): FieldError[] {
  if (valueAt(spec, 'hostUsers') !== false) return [];
  const detail = 'when `hostUsers` is false';
  const shared = [
    ['hostNetwork', 'hostNetwork'],
    ['hostPID', 'HostPID'],
    ['hostIPC', 'HostIPC'],
  ] as const;
  return [
    ...shared
      .filter(([field]) => valueAt(spec, field) === true)
      .map(([, shown]) => forbiddenField(`${path}.${shown}`, detail)),
    ...[...containersOf(path, spec)]
      .filter(([, container]) => listAt(container, 'volumeDevices').length > 0)
      .map(([field]) => forbiddenField(`${field}.volumeDevices`, detail)),
  ];
}

/** Fields of the security context that only Linux has, in the order of upstream. */
const OF_LINUX_POD = [
  ...['securityContext.appArmorProfile', 'securityContext.seLinuxOptions', 'hostUsers', 'hostPID', 'hostIPC'],
  ...['securityContext.seccompProfile', 'securityContext.fsGroup', 'securityContext.fsGroupChangePolicy'],
  ...['securityContext.sysctls', 'shareProcessNamespace', 'securityContext.runAsUser', 'securityContext.runAsGroup'],
  ...['securityContext.supplementalGroups', 'securityContext.supplementalGroupsPolicy'],
  'securityContext.seLinuxChangePolicy',
];
const OF_LINUX_CONTAINER = [
  ...['appArmorProfile', 'seLinuxOptions', 'seccompProfile', 'capabilities', 'readOnlyRootFilesystem', 'privileged'],
  ...['allowPrivilegeEscalation', 'procMount', 'runAsUser', 'runAsGroup'],
];

/** A Pod has only fields of its own system (upstream: `validateLinux` and `validateWindows`). */
export function systemFieldErrors(path: string, spec: unknown): FieldError[] {
  const containers = [...containersOf(path, spec)].map(([field, container]) => at(container, field, 'securityContext'));
  const name = scalarText(valueAt(spec, 'os.name'));
  if (name === 'linux') {
    return [at(spec, path, 'securityContext'), ...containers]
      .filter(([, context]) => valueAt(context, 'windowsOptions') !== undefined)
      .map(([field]) => forbiddenField(`${field}.windowsOptions`, 'windows options cannot be set for a linux pod'));
  }
  if (name !== 'windows') return [];
  const detail = 'cannot be set for a windows pod';
  const isSet = (value: unknown, field: string): boolean =>
    value !== undefined && (value !== false || (field !== 'hostPID' && field !== 'hostIPC'));
  return [
    ...OF_LINUX_POD.filter((field) => isSet(valueAt(spec, field), field)).map((field) =>
      forbiddenField(`${path}.${field}`, detail),
    ),
    ...containers.flatMap(([field, context]) =>
      OF_LINUX_CONTAINER.filter((each) => valueAt(context, each) !== undefined).map((each) =>
        forbiddenField(`${field}.${each}`, detail),
      ),
    ),
  ];
}
