import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { environmentErrors } from './environment.ts';
import { ephemeralErrors } from './ephemeral-container.ts';
import { probesErrors } from './probe.ts';
import { resourceErrors } from './resources.ts';
import { at, dnsLabel, isEmpty, oneOf, portName, portNameErrors, portNumber, required, supported } from './rules.ts';
import { initRestartPolicyErrors, restartPolicyErrors } from './restart-policy.ts';
import { containerSecurityErrors } from './security-context.ts';
import type { Volumes } from './volume.ts';
import { deviceErrors, mountErrors } from './volume-mount.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const RUNTIME_FIELDS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

/** The parts of a Pod that the rules of its containers depend on. */
interface Surroundings {
  readonly volumes: Volumes;
  /** Names of the claims to devices that the Pod has. */
  readonly claims: readonly string[];
  readonly restartPolicy: unknown;
  readonly gracePeriod: unknown;
  /** Whether the Pod uses the user namespace of its host. */
  readonly hostUsers: boolean;
}

/** Validates the containers of a Pod spec (upstream: `validateContainers` and `validateInitContainers`). */
export function containersErrors(path: string, spec: unknown, volumes: Volumes): FieldError[] {
  const claims = listAt(spec, 'resourceClaims').map((claim) => scalarText(valueAt(claim, 'name')));
  const around: Surroundings = {
    volumes,
    claims: claims.filter((name) => name !== ''),
    restartPolicy: valueAt(spec, 'restartPolicy'),
    gracePeriod: valueAt(spec, 'terminationGracePeriodSeconds'),
    hostUsers: valueAt(spec, 'hostUsers') !== false,
  };
  const containers = listAt(spec, 'containers');
  const names = new Set(containers.map(nameOf));
  return [
    ...regularErrors(`${path}.containers`, containers, around),
    ...listAt(spec, 'initContainers').flatMap((container, index) =>
      initErrors(`${path}.initContainers`, index, container, names, around),
    ),
    ...ephemeralErrors(path, spec, (field, container) => commonErrors(field, container, around)),
  ];
}

function regularErrors(path: string, containers: readonly unknown[], around: Surroundings): FieldError[] {
  const names = new Set<string>();
  if (containers.length === 0) return [requiredField(path, '')];
  const errors = containers.flatMap((container, index) => {
    const field = `${path}[${index}]`;
    return [
      ...commonErrors(field, container, around),
      ...(names.size === names.add(nameOf(container)).size ? [duplicateName(field, container)] : []),
      ...probesErrors(field, container, around.gracePeriod),
      ...restartPolicyErrors(field, container),
    ];
  });
  return [...errors, ...hostPortErrors(path, containers)];
}

function initErrors(
  path: string,
  index: number,
  container: unknown,
  names: Set<string>,
  around: Surroundings,
): FieldError[] {
  const field = `${path}[${index}]`;
  const errors = [
    ...commonErrors(field, container, around),
    ...initRestartPolicyErrors(field, container),
    ...nameTwice(field, container, names),
    // Upstream counts from the first container for each.
    ...hostPortErrors(path, [container]),
  ];
  if (valueAt(container, 'restartPolicy') === 'Always') {
    return [...errors, ...probesErrors(field, container, around.gracePeriod)];
  }
  const detail = 'may not be set for init containers without restartPolicy=Always';
  const runtime = RUNTIME_FIELDS.filter((each) => valueAt(container, each) !== undefined);
  return [...errors, ...runtime.map((name) => forbiddenField(`${field}.${name}`, detail))];
}

const nameOf = (container: unknown): string => scalarText(valueAt(container, 'name'));

const duplicateName = (field: string, container: unknown): FieldError =>
  duplicateField(`${field}.name`, nameOf(container));

/** Init containers have other names than regular ones. */
function nameTwice(field: string, container: unknown, names: Set<string>): FieldError[] {
  const name = nameOf(container);
  if (names.has(name)) return [duplicateName(field, container)];
  if (name !== '') names.add(name);
  return [];
}

/** Ports of the host must be unique. */
function hostPortErrors(path: string, containers: readonly unknown[]): FieldError[] {
  const used = new Set<string>();
  return containers.flatMap((container, index) =>
    listAt(container, 'ports').flatMap((port, at_) => {
      const [protocol, address, number] = ['protocol', 'hostIP', 'hostPort'].map((name) => valueAt(port, name));
      if (isEmpty(number) || number === 0) return [];
      const text = `${scalarText(protocol)}/${scalarText(address)}/${scalarText(number)}`;
      if (used.has(text)) return [duplicateField(`${path}[${index}].ports[${at_}].hostPort`, text)];
      used.add(text);
      return [];
    }),
  );
}

function commonErrors(field: string, container: unknown, around: Surroundings): FieldError[] {
  const { volumes, claims } = around;
  return [
    ...required(at(container, field, 'name')),
    ...dnsLabel(at(container, field, 'name')),
    ...required(at(container, field, 'image')),
    ...oneOf(at(container, field, 'terminationMessagePolicy'), ['File', 'FallbackToLogsOnError']),
    ...portsErrors(`${field}.ports`, listAt(container, 'ports')),
    ...environmentErrors(field, container),
    ...mountErrors(field, container, volumes),
    ...deviceErrors(field, container, volumes),
    ...oneOf(at(container, field, 'imagePullPolicy'), ['Always', 'IfNotPresent', 'Never']),
    ...resourceErrors(at(container, field, 'resources'), claims),
    ...resizeErrors(`${field}.resizePolicy`, listAt(container, 'resizePolicy'), around.restartPolicy),
    ...containerSecurityErrors(...at(container, field, 'securityContext'), around.hostUsers),
  ];
}

const RESIZED = { resourceName: ['cpu', 'memory'], restartPolicy: ['NotRequired', 'RestartContainer'] } as const;

/** Upstream leaves the indexes out of most paths. */
function resizeErrors(field: string, policies: readonly unknown[], podPolicy: unknown): FieldError[] {
  const names = policies.map((policy) => scalarText(valueAt(policy, 'resourceName')));
  return policies.flatMap((policy, index) => {
    const restart = scalarText(valueAt(policy, 'restartPolicy'));
    const detail = "must be 'NotRequired' when `restartPolicy` is 'Never'";
    return [
      ...(names.indexOf(names[index] ?? '') < index ? [duplicateField(`${field}[${index}]`, names[index])] : []),
      ...(['resourceName', 'restartPolicy'] as const).flatMap((name) => {
        const value = scalarText(valueAt(policy, name));
        return value === '' ? [requiredField(field, '')] : supported([field, value], RESIZED[name]);
      }),
      ...(podPolicy === 'Never' && restart !== 'NotRequired' ? [invalidField(field, restart, detail)] : []),
    ];
  });
}

function portsErrors(path: string, ports: readonly unknown[]): FieldError[] {
  const names = new Set<unknown>();
  return ports.flatMap((port, index) => {
    const field = `${path}[${index}]`;
    const errors = portName(at(port, field, 'name'));
    const name = valueAt(port, 'name');
    if (!isEmpty(name) && portNameErrors(scalarText(name)).length === 0) {
      if (names.has(name)) errors.push(duplicateField(`${field}.name`, name));
      names.add(name);
    }
    const number = valueAt(port, 'containerPort');
    errors.push(...(number === undefined || number === 0 ? [requiredField(`${field}.containerPort`, '')] : []));
    if (number !== 0) errors.push(...portNumber([`${field}.containerPort`, number]));
    const hostPort = valueAt(port, 'hostPort');
    if (hostPort !== 0) errors.push(...portNumber([`${field}.hostPort`, hostPort]));
    errors.push(...oneOf(at(port, field, 'protocol'), PROTOCOLS));
    return errors;
  });
}
